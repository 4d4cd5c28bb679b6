import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { dump } from '../chaos/dump.ts';
import type { IntervalProfile, Line } from '../chaos/history.ts';
import { judge } from '../chaos/judge.ts';
import { DIRECT_METERS, type Cluster, WORLD_SEED } from './cluster.ts';
import type { Verdict } from './proof.ts';

/** Meters whose readings are compared with the truth; of a larger fleet a sample. */
const MOST_JUDGED = 2_000;
const SHOWN = 10;

const sampleOf = ({ options: { dcus, meters } }: Cluster): number => Math.max(1, Math.ceil((dcus * meters) / MOST_JUDGED));

/** Claims of success for a day: its captures have to be stored in the end. */
export async function noteRead(cluster: Cluster, tasks: readonly string[], what: { profile: IntervalProfile; day: string }): Promise<void> {
  const found = await cluster.rows<{ sn: string; rows: number }>(
    `select m.sn, coalesce((i.result ->> 'rows')::int, 0) as rows from task_item_device i join meter m on m.id = i.meter_id
     where i.task_id = any($1::bigint[]) and i.state = 'read_success' and m.id % $2 = 0`,
    [tasks, sampleOf(cluster)],
  );
  for (const row of found) cluster.claims.push({ t: 'acked', ...row, ...what });
}

async function* historyOf(cluster: Cluster): AsyncGenerator<Line> {
  const { dcus, meters } = cluster.options;
  yield { t: 'begin', seed: WORLD_SEED, scale: `${dcus}x${meters}`, direct: DIRECT_METERS, at: Date.now() };
  yield* cluster.claims;
  const stored: Line[] = [];
  await dump(cluster.pool, (line) => stored.push(line), Date.now(), sampleOf(cluster));
  // A command that is still unknown was judged by T3, which waits for it; here its switches count.
  yield* stored;
  for await (const text of createInterface({ input: createReadStream(cluster.oracleFile) }))
    if (text !== '') yield JSON.parse(text) as Line; // as: the simulator writes nothing else
}

/** Judges all that the proofs have left: nothing is lost, stored twice or invented, no command executed twice, and no counter used twice. */
export async function judgeAll(cluster: Cluster): Promise<Verdict> {
  const { violations, judged } = await judge(historyOf(cluster));
  const { captures, values, acknowledgements, counters, commands, events } = judged;
  const first = violations.slice(0, SHOWN).map(({ guarantee, what }) => `${guarantee}: ${what}`);
  return {
    passed: violations.length === 0 && counters > 0,
    counts: {
      captures,
      values,
      acknowledgements,
      counters,
      commands,
      events,
      oneMeterIn: sampleOf(cluster),
      violations: violations.length,
      first,
    },
  };
}
