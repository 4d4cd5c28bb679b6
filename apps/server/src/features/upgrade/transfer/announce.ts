import type { Context } from '#db/context.ts';
import type { Bus } from '#platform/bus.ts';
import { findJobRows, findRecordRows } from './rows.ts';

/** At most four messages a second and upgrade. */
const GATHER_MS = 250;
const MAX_ITEMS = 200;

type Teller = Pick<Context, 'pool' | 'bus' | 'clock' | 'log'> & { settings?: { timeZone: string } };
interface Gathered {
  records: Set<string>;
  timer: NodeJS.Timeout;
}

const waiting = new WeakMap<Bus, Map<string, Gathered>>();

/** Tells open consoles how an upgrade and some of its devices stand; what comes close together goes in one message. */
export function tellUpgrade(ctx: Teller, jobId: string, recordIds: readonly string[]): void {
  let jobs = waiting.get(ctx.bus);
  if (jobs === undefined) waiting.set(ctx.bus, (jobs = new Map()));
  const known = jobs.get(jobId);
  if (known !== undefined) {
    for (const id of recordIds) known.records.add(id);
    return;
  }
  const of = jobs;
  const timer = setTimeout(() => {
    const gathered = of.get(jobId);
    of.delete(jobId);
    if (gathered !== undefined)
      void tell(ctx, jobId, [...gathered.records]).catch((error: unknown) => ctx.log.warn('An upgrade was not told', { error, jobId }));
  }, GATHER_MS);
  timer.unref();
  jobs.set(jobId, { records: new Set(recordIds), timer });
}

async function tell(ctx: Teller, jobId: string, recordIds: readonly string[]): Promise<void> {
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
