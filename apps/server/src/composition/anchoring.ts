import { writeAudit } from '#db/audit.ts';
import { anchorChains, type AnchoredChain } from '#db/anchor-chains.ts';
import type { ChainAnchors } from '#db/chain-anchors.ts';
import type { Context } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import type { HeadSink } from './head-sinks.ts';

const EVERY_MS = 1_000;
/** Event code in the log of the head-end. */
const LOG_BROKEN = 60_030;

/** Stores the newest rows of audit log and command log outside the database, and raises an event if the database no longer has them. */
export function startAnchoring(ctx: Context, anchors: ChainAnchors, sinks: readonly HeadSink[]): PeriodicJob {
  const events = new EventWriter(ctx);
  const look = async (): Promise<void> => {
    for (const moved of await anchorChains({ db: ctx.db, clock: ctx.clock, anchors })) {
      for (const sink of sinks)
        sink.send({ chain: moved.chain, id: moved.id, hash: moved.hash, at: new Date(ctx.clock.now()).toISOString() });
      if (moved.broken !== undefined && moved.broken.kind !== 'anchor_lost') await raise(ctx, events, moved);
    }
  };
  return startPeriodicJob(EVERY_MS, look, (error) => ctx.log.warn('The newest rows of the logs could not be anchored', { error }));
}

async function raise(ctx: Context, events: EventWriter, { chain, broken }: AnchoredChain): Promise<void> {
  if (broken === undefined) return;
  const now = ctx.clock.now();
  const { kind, anchoredId, foundId } = broken;
  ctx.log.error('Rows of a log that cannot be changed were changed or cut in the database', { chain, ...broken });
  const detail = { chain, broken: kind, anchoredRow: anchoredId, foundRow: foundId };
  await ctx.db
    .transaction()
    .execute((tx) => writeAudit(tx, { userId: null, action: 'chain_broken', entity: 'audit', entityId: null, detail }, now));
  const message = `${chain}: ${kind}, ${anchoredId} → ${foundId}`;
  await storeOwnEvent(events, { code: LOG_BROKEN, occurAt: now, message });
}
