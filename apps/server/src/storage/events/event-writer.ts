import { createHash } from 'node:crypto';
import type { EventLog } from '@hes/contract/states/event.ts';
import type { Pool } from 'pg';
import { lockInTransactionOf } from '#db/advisory-locks.ts';
import type { Context } from '#db/context.ts';
import { announceEvents } from '../announce.ts';
import { groupByCause, type IncidentEvent } from './incidents.ts';
import {
  findIncidentsNear,
  findNews,
  insertEvents,
  pairEvents,
  storeIncidents,
  type EventToStore,
  type FreshEvent,
  type NewsRow,
} from './queries.ts';

/** One row of a log, decoded. */
export interface DeviceEvent {
  log: EventLog;
  code: number;
  /** Epoch milliseconds. */
  occurAt: number;
  message: string;
  raw: Uint8Array;
}

export interface DeviceEvents {
  /** `head_end` marks an event of the head-end itself, without a device. */
  deviceKind: 'dcu' | 'meter' | 'head_end';
  meterId: string | null;
  dcuId: string | null;
  source: 'push' | 'pull';
  traceId: string | null;
  events: readonly DeviceEvent[];
}

/** Classification of an event by duplicate check and catalogue. */
export interface EventClass {
  isFresh: boolean;
  direction: 'occur' | 'recover';
  abnormalLevel: 'serious' | 'warning' | null;
}

interface PendingWrite {
  events: EventToStore[];
  resolve(classes: EventClass[]): void;
  reject(error: unknown): void;
}

const BATCH_WRITES = 64;
/** Messages to consoles only count older events and do not list them. */
const NEWS_MS = 24 * 3_600_000;
const NEWS_AT_ONCE = 20;

const codeKey = (event: { log: string; code: number }): string => `${event.log}:${event.code}`;

/**
 * Deduplication hashes: a log row that is read twice has one hash, and equal rows of one log have different ones. The hash of a meter's
 * event does not depend on its DCU.
 */
function withHashes(device: DeviceEvents): EventToStore[] {
  const seen = new Map<string, number>();
  return device.events.map((event) => {
    const { deviceKind, meterId, dcuId, source, traceId } = device;
    const name = [deviceKind, meterId ?? dcuId, event.log, event.code, event.occurAt].join('/');
    const repetition = seen.get(name) ?? 0;
    seen.set(name, repetition + 1);
    return { ...event, deviceKind, meterId, dcuId, source, traceId, hash: createHash('sha256').update(`${name}/${repetition}`).digest() };
  });
}

/** Stores device events once each, pairs them with their recovery, groups them into incidents, and publishes recent ones. */
export class EventWriter {
  readonly #ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;
  #waiting: PendingWrite[] = [];
  #writing: Promise<void> | undefined;

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>) {
    this.#ctx = ctx;
  }

  /** Resolves after the commit, in the order of the given events. Idempotent. */
  store(device: DeviceEvents): Promise<EventClass[]> {
    if (device.events.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events: withHashes(device), resolve, reject });
      this.#writing ??= this.#writeQueue();
    });
  }

  async #writeQueue(): Promise<void> {
    while (this.#waiting.length > 0) {
      const writes = this.#waiting.splice(0, BATCH_WRITES);
      try {
        const classify = await this.#write(writes.flatMap((write) => write.events));
        for (const write of writes) write.resolve(write.events.map(classify));
      } catch (error) {
        for (const write of writes) write.reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #write(events: EventToStore[]): Promise<(event: EventToStore) => EventClass> {
    const client = await this.#ctx.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      await lockInTransactionOf(client, 'event');
      const fresh = await insertEvents(client, events);
      let news: NewsRow[] = [];
      if (fresh.length > 0) {
        await announceEvents(
          client,
          fresh.map((event) => event.id),
        );
        await pairEvents(client, fresh);
        const occurred = fresh.filter((event) => event.direction === 'occur').flatMap(asIncidentEvent);
        await storeIncidents(client, groupByCause(await findIncidentsNear(client, occurred), occurred));
        news = await findNews(client, this.#selectNews(fresh));
      }
      await client.query('commit');
      if (fresh.length > 0) this.#publishNews(fresh.length, news);
      return await this.#createClassifier(events, fresh);
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  #selectNews(fresh: readonly FreshEvent[]): string[] {
    const since = this.#ctx.clock.now() - NEWS_MS;
    return fresh
      .filter((event) => event.abnormalLevel !== null && !event.isMuted && event.occurAt.getTime() >= since)
      .map((event) => event.id)
      .slice(-NEWS_AT_ONCE);
  }

  #publishNews(count: number, news: readonly NewsRow[]): void {
    this.#ctx.bus.publish('event', {
      type: 'event.new',
      ts: new Date(this.#ctx.clock.now()).toISOString(),
      id: '0',
      // as: the table's check admits no other log.
      data: { count, events: news.map((row) => ({ ...row, log: row.log as EventLog, occurAt: row.occurAt.toISOString() })) },
    });
  }

  async #createClassifier(events: readonly EventToStore[], fresh: readonly FreshEvent[]): Promise<(event: EventToStore) => EventClass> {
    const isFresh = new Set(fresh.map((event) => event.hash.toString('hex')));
    const codes = await findCatalogue(this.#ctx.pool, events);
    return (event) => ({
      isFresh: isFresh.has(event.hash.toString('hex')),
      direction: codes.get(codeKey(event))?.direction ?? 'occur',
      abnormalLevel: codes.get(codeKey(event))?.level ?? null,
    });
  }

  /** Resolves when all queued events are written. */
  async stop(): Promise<void> {
    await this.#writing;
  }
}

const asIncidentEvent = ({ id, dcuId, log, code, occurAt }: FreshEvent): IncidentEvent[] =>
  dcuId === null ? [] : [{ id, dcuId, log, code, occurAt: occurAt.getTime() }];

async function findCatalogue(
  pool: Pool,
  events: readonly EventToStore[],
): Promise<Map<string, { direction: 'occur' | 'recover'; level: 'serious' | 'warning' | null }>> {
  const found = await pool.query<{ log: string; code: number; direction: 'occur' | 'recover'; level: 'serious' | 'warning' | null }>(
    `select log, code, direction, case when enabled then abnormal_level end as level from event_code
     where (log, code) in (select * from unnest($1::text[], $2::int[]))`,
    [events.map((event) => event.log), events.map((event) => event.code)],
  );
  return new Map(found.rows.map((row) => [codeKey(row), row]));
}
