import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { connectTo } from '../../apps/server/src/db/backup/take-backup.ts';
import type { SocketConnection } from '../../apps/server/src/db/embedded/postmaster.ts';

const WRITERS = 4;
const FILLER = 'x'.repeat(400);
const RETRY_MS = 100;

/** A row with the times, by the clock of this machine, at which it was sent and acknowledged. */
interface Row {
  id: number;
  writer: number;
  /** Value of the writer's counter in the same transaction. */
  counter: number;
  sentMs: number;
  ackedMs: number;
}

/** What the database promised, and what it was asked for without an answer. */
export interface Promised {
  rows: Row[];
  sent: Map<number, number>;
}

/** Starts writers that outlive kills of the database. Each transaction inserts a row and raises the counter of its writer. */
export function startWriters(owner: SocketConnection): { stop(): Promise<Promised> } {
  const promised: Promised = { rows: [], sent: new Map() };
  let isStopping = false;
  let next = 0;
  async function work(writer: number): Promise<void> {
    let client: Client | undefined;
    let counter = 0;
    while (!isStopping) {
      const id = ++next;
      const sentMs = Date.now();
      try {
        client ??= await connectTo(owner);
        counter++;
        promised.sent.set(id, sentMs);
        await client.query('begin');
        await client.query('insert into promise values ($1, $2, $3)', [id, writer, FILLER]);
        await client.query('insert into counter values ($1, $2) on conflict (writer) do update set value = excluded.value', [
          writer,
          counter,
        ]);
        await client.query('commit');
        promised.rows.push({ id, writer, counter, sentMs, ackedMs: Date.now() });
      } catch {
        await client?.end().catch(() => undefined);
        client = undefined;
        await wait(RETRY_MS);
      }
    }
    await client?.end().catch(() => undefined);
  }
  const working = Array.from({ length: WRITERS }, (_, writer) => work(writer));
  return {
    async stop() {
      isStopping = true;
      await Promise.all(working);
      return promised;
    },
  };
}

/** Compares a restored database with what was promised until `untilMs`. */
export async function judgeRestored(
  client: Pick<Client, 'query'>,
  { rows, sent }: Promised,
  untilMs: number,
): Promise<{ rows: number; violations: string[] }> {
  const stored = await client.query<{ id: string }>('select id from promise');
  const ids = new Set(stored.rows.map(({ id }) => Number(id)));
  const counters = await client.query<{ writer: number; value: string }>('select writer, value from counter');
  const values = new Map(counters.rows.map(({ writer, value }) => [writer, Number(value)]));
  const missing = rows.filter(({ id, ackedMs }) => ackedMs < untilMs && !ids.has(id));
  // The clock of a commit is read between sending and acknowledgement, in whole milliseconds here.
  const early = [...ids].filter((id) => (sent.get(id) ?? Infinity) > untilMs + 1);
  const lagging = rows.filter(({ writer, counter, ackedMs }) => ackedMs < untilMs && counter > (values.get(writer) ?? 0));
  return {
    rows: ids.size,
    violations: [
      ...missing.map(({ id, ackedMs }) => `row ${id}, acknowledged ${untilMs - ackedMs} ms before, is missing`),
      ...early.map((id) => `row ${id} was sent after the instant, and is there`),
      ...lagging.map(({ writer, counter }) => `the counter of writer ${writer} lags behind ${counter}`),
    ],
  };
}
