import type { RelayLimits } from '@hes/contract/action/relay.ts';
import { writeAudit } from '#db/audit.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { Context } from '#db/context.ts';
import { watch, type Watch } from '#platform/watch.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { refuseItems } from '#tasks/queries.ts';
import { findLimits, limitsOf } from './limit-queries.ts';
import { block, refusalOf, type RefusalTools } from './refusal.ts';
import { findAudited, findWaitingSwitches } from './store.ts';

const LOOK_EVERY_MS = 5_000;
/** In the log of the head-end itself: a ceiling that it did not write, and one that somebody wants to be looser. */
const FORGED_CEILING = 60_003;
const LOOSER_CEILING = 60_004;
/** Of what is older another look has told. */
const FRESH_MS = 60_000;

export interface WatchTools extends RefusalTools {
  ctx: Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'secrets'>;
}

/** Looks for what somebody put into the database past the head-end, so that it is known within seconds even where no DCU is there to take it. */
export class RelayWatch {
  readonly #tools: WatchTools;
  #watch: Watch | undefined;
  #toldLimits: string | undefined;

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  start(): void {
    this.#watch = watch(
      LOOK_EVERY_MS,
      () => this.look(),
      (error) => this.#tools.ctx.log.warn('Commands to relays could not be watched', { error }),
    );
  }

  /** Looks now; it does so by itself every few seconds. */
  async look(): Promise<void> {
    await refuseForged(this.#tools);
    await tellForgedLimits(this.#tools);
    this.#toldLimits = await tellLooserLimits(this.#tools, this.#toldLimits);
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
  }
}

/** Ends work that nobody ordered before anybody takes it. What waits for its second person waits. */
async function refuseForged(tools: WatchTools): Promise<void> {
  const { pool } = tools.ctx;
  for (const { item, isDue, command } of await findWaitingSwitches(pool)) {
    const reason = refusalOf(tools.ctx, command, item.kind);
    if (reason === undefined || (reason === 'RELAY_NOT_APPROVED' && !isDue)) continue;
    // On record first: who dies between the two does it twice, and never not at all.
    await block(tools, item, command, reason);
    await refuseItems(pool, [item.id], reason);
  }
}

/** They count for nothing; but who put them there can do more than that. Each is told once. */
async function tellForgedLimits({ ctx, events }: WatchTools): Promise<void> {
  const { forged } = await findLimits(ctx.db, ctx.secrets);
  const known = new Set(
    forged.length === 0
      ? []
      : await findAudited(
          ctx.db,
          forged.map(({ id }) => id),
        ),
  );
  const fresh = forged.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return;
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    for (const line of fresh) {
      const detail = { reason: 'RELAY_LIMIT_FORGED', ...limitsOf(line) };
      await writeAudit(tx, { userId: null, action: 'relay_blocked', entity: 'relay', entityId: line.id, detail }, now);
    }
  });
  await storeOwnEvent(events, {
    code: FORGED_CEILING,
    occurAt: now,
    message: fresh.map((line) => `line ${line.id}: ${textOf(line)}`).join('; '),
  });
}

/** Everybody has a day to see it coming; answers what was told last. */
async function tellLooserLimits({ ctx, events }: WatchTools, told: string | undefined): Promise<string | undefined> {
  const { pending } = await findLimits(ctx.db, ctx.secrets);
  const now = ctx.clock.now();
  if (pending === undefined || pending.id === told || now - pending.createdAt.getTime() > FRESH_MS) return told;
  await storeOwnEvent(events, { code: LOOSER_CEILING, occurAt: now, message: `${textOf(pending)}, ${pending.effectiveAt.toISOString()}` });
  return pending.id;
}

const textOf = ({ maxMetersPerHour, maxKwPerHour }: RelayLimits): string => `${maxMetersPerHour} /h, ${maxKwPerHour} kW/h`;

export const relayWatch = (tools: FeatureTools): RelayWatch => new RelayWatch(tools);
