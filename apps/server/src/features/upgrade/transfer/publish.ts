import type { Bus } from '#platform/bus.ts';
import type { Context } from '#db/context.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import { findJobRows, findRecordRows } from './row-queries.ts';

/** An upgrade is published at most four times a second. */
const EVERY_MS = 250;
const MAX_ITEMS = 200;

type PublishContext = Pick<Context, 'pool' | 'bus' | 'clock' | 'log'> & { settings?: { timeZone: string } };

const publishers = new WeakMap<Bus, UpgradePublisher>();

/** Publishes an upgrade and some of its records to open consoles; changes of a quarter of a second share one message. */
export function publishUpgrade(ctx: PublishContext, jobId: string, recordIds: readonly string[]): void {
  let publisher = publishers.get(ctx.bus);
  if (publisher === undefined) publishers.set(ctx.bus, (publisher = new UpgradePublisher(ctx)));
  publisher.changed(jobId, recordIds);
}

class UpgradePublisher {
  readonly #ctx: PublishContext;
  readonly #flush = new DebouncedFlush(() => this.#publish(), { quietMs: EVERY_MS, longestMs: EVERY_MS });
  /** Changed records by upgrade. */
  #changed = new Map<string, Set<string>>();

  constructor(ctx: PublishContext) {
    this.#ctx = ctx;
  }

  changed(jobId: string, recordIds: readonly string[]): void {
    let records = this.#changed.get(jobId);
    if (records === undefined) this.#changed.set(jobId, (records = new Set()));
    for (const id of recordIds) records.add(id);
    this.#flush.schedule();
  }

  async #publish(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Map();
    for (const [jobId, records] of changed) {
      try {
        await publishJob(this.#ctx, jobId, [...records]);
      } catch (error) {
        this.#ctx.log.warn('The progress of an upgrade could not be published', { error, jobId });
      }
    }
  }
}

async function publishJob(ctx: PublishContext, jobId: string, recordIds: readonly string[]): Promise<void> {
  const topics = [`upgrade:${jobId}`, 'upgrade'].filter((topic) => ctx.bus.isFollowed(topic));
  if (topics.length === 0) return;
  const now = ctx.clock.now();
  const ts = new Date(now).toISOString();
  const [items, [job]] = await Promise.all([
    findRecordRows(ctx.pool, recordIds.slice(0, MAX_ITEMS)),
    findJobRows(ctx.pool, [jobId], { now, timeZone: ctx.settings?.timeZone ?? 'UTC' }),
  ]);
  for (const topic of topics) {
    if (items.length > 0) ctx.bus.publish(topic, { type: 'upgrade.item', ts, id: jobId, data: { items } });
    if (job !== undefined) ctx.bus.publish(topic, { type: 'upgrade.job', ts, id: jobId, data: job });
  }
}
