import { writeAudit } from '#db/audit.ts';
import { findLimits, limitsOf } from '#db/relay-limits.ts';
import type { Context } from '#platform/context.ts';
import { refuseItems } from '#tasks/queries.ts';
import { block, refusalOf, type RefusalTools } from './operations/relay-refusal.ts';
import { findAudited, findWaitingSwitches } from './relay-queries.ts';

const LOOK_EVERY_MS = 5_000;
/** In the log of the head-end itself: a ceiling that it did not write. */
const FORGED_CEILING = 60_003;

export interface WatchTools extends RefusalTools {
  ctx: Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'secrets'>;
}

/** Looks for what somebody put into the database past the head-end, so that it is known within seconds even where no DCU is there to take it. */
export class RelayWatch {
  readonly #tools: WatchTools;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  start(): void {
    this.#timer = setInterval(() => (this.#looking = this.#looking.then(() => this.look())), LOOK_EVERY_MS);
  }

  /** Looks now; it does so by itself every few seconds. */
  async look(): Promise<void> {
    try {
      await refuseForged(this.#tools);
      await tellForgedLimits(this.#tools);
    } catch (error) {
      this.#tools.ctx.log.warn('Commands to relays could not be watched', { error });
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}

/** Ends work that nobody ordered before anybody takes it. What waits for its second person waits. */
async function refuseForged(tools: WatchTools): Promise<void> {
  const { pool, secrets } = tools.ctx;
  for (const { item, isDue, command } of await findWaitingSwitches(pool)) {
    const reason = refusalOf(secrets, command, item.kind);
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
  const message = fresh
    .map(({ id, maxMetersPerHour, maxKwPerHour }) => `line ${id}: ${maxMetersPerHour} /h, ${maxKwPerHour} kW/h`)
    .join('; ');
  const event = { log: 'dcu' as const, code: FORGED_CEILING, occurAt: now, message, raw: new Uint8Array(0) };
  await events.store({ deviceKind: 'head_end', meterId: null, dcuId: null, source: 'push', traceId: null, events: [event] });
}
