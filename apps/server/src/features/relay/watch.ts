import type { RelayLimits } from '@hes/contract/action/relay.ts';
import { writeAudit } from '#db/audit.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { refuseItems } from '#tasks/queries.ts';
import { findLimits, limitsOf } from './limit-queries.ts';
import { refuseCommand, refusalOf, type RefusalTools } from './refusal.ts';
import { findAudited, findWaitingSwitches } from './store.ts';

const LOOK_EVERY_MS = 5_000;
/** Codes in the log of the HES itself: limits without a valid seal, and pending looser limits. */
const FORGED_CEILING = 60_003;
const LOOSER_CEILING = 60_004;
/** Older rows were reported by an earlier run. */
const FRESH_MS = 60_000;

export interface WatchTools extends RefusalTools {
  turns: Turns;
  ctx: Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'secrets'>;
}

/** Periodic job that detects commands and limits written to the database directly, within seconds and even while the DCU is offline. */
export class RelayWatch {
  readonly #tools: WatchTools;
  #watch: PeriodicJob | undefined;
  #toldLimits: string | undefined;

  constructor(tools: WatchTools) {
    this.#tools = tools;
  }

  start(): void {
    this.#watch = startPeriodicJob(
      LOOK_EVERY_MS,
      inTurn(this.#tools.turns, 'relays', () => this.look()),
      (error) => this.#tools.ctx.log.warn('Commands to relays could not be watched', { error }),
    );
  }

  /** Runs the check at once, in addition to the periodic runs. */
  async look(): Promise<void> {
    await refuseForged(this.#tools);
    await reportForgedLimits(this.#tools);
    this.#toldLimits = await reportPendingLimits(this.#tools, this.#toldLimits);
  }

  async stop(): Promise<void> {
    await this.#watch?.stop();
  }
}

/** Ends items without a valid command before a worker claims them. Items that wait for approval are left alone. */
async function refuseForged(tools: WatchTools): Promise<void> {
  const { pool } = tools.ctx;
  for (const { item, isDue, command } of await findWaitingSwitches(pool)) {
    const reason = refusalOf(tools.ctx, command, item.kind);
    if (reason === undefined || (reason === 'RELAY_NOT_APPROVED' && !isDue)) continue;
    // Recorded first: a crash in between causes a second record, never a missing one.
    await refuseCommand(tools, item, command, reason);
    await refuseItems(pool, [item.id], reason);
  }
}

/** Rows without a valid seal have no effect, but show that an attacker can write to the database. Each is reported once. */
async function reportForgedLimits({ ctx, events }: WatchTools): Promise<void> {
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

/** Reports pending looser limits once. Returns the id of the last reported row. */
async function reportPendingLimits({ ctx, events }: WatchTools, told: string | undefined): Promise<string | undefined> {
  const { pending } = await findLimits(ctx.db, ctx.secrets);
  const now = ctx.clock.now();
  if (pending === undefined || pending.id === told || now - pending.createdAt.getTime() > FRESH_MS) return told;
  await storeOwnEvent(events, { code: LOOSER_CEILING, occurAt: now, message: `${textOf(pending)}, ${pending.effectiveAt.toISOString()}` });
  return pending.id;
}

const textOf = ({ maxMetersPerHour, maxKwPerHour }: RelayLimits): string => `${maxMetersPerHour} /h, ${maxKwPerHour} kW/h`;

export const relayWatch = (tools: FeatureTools): RelayWatch => new RelayWatch(tools);
