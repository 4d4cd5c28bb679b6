import type { FeatureTools } from '#features/feature-tools.ts';
import type { Context } from '#db/context.ts';
import { inTurn } from '#nodes/turns.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { takeEnding, type Ending } from './store.ts';

/** Each step of each certificate is reported once, so a frequent job reports it within the hour. */
const EVERY_MS = 3_600_000;
/** Certificates that an event names; it counts the others. */
const NAMED = 20;
const CODES = { expiring: 60_050, expired: 60_051 } as const;

export interface ExpiryTools {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>;
  events: Pick<EventWriter, 'store'>;
}

const lineOf = ({ subject, sn, validTo }: Ending): string => `${subject}${sn === null ? '' : ` (${sn})`}: ${validTo.toISOString()}`;

function messageOf(ending: readonly Ending[]): string {
  const lines = ending.slice(0, NAMED).map(lineOf);
  return [...lines, ...(ending.length > NAMED ? [`+ ${ending.length - NAMED}`] : [])].join('; ');
}

/** Raises one event per step for the certificates that reached it. They stay unreported when the event cannot be stored. */
export async function reportEnding({ ctx, events }: ExpiryTools): Promise<void> {
  for (const step of ['expired', 'expiring'] as const)
    await ctx.db.transaction().execute(async (tx) => {
      const now = ctx.clock.now();
      const ending = await takeEnding(tx, step, new Date(now));
      if (ending.length > 0) await storeOwnEvent(events, { code: CODES[step], occurAt: now, message: messageOf(ending) });
    });
}

/** Periodic job that reports certificates that expire soon or have expired. */
export function certificateWatch({ ctx, events, turns }: FeatureTools): { start(): void; stop(): Promise<void> } {
  let job: PeriodicJob | undefined;
  return {
    start() {
      job = startPeriodicJob(
        EVERY_MS,
        inTurn(turns, 'certificates', () => reportEnding({ ctx, events })),
        (error) => ctx.log.warn('Certificates that expire could not be reported', { error }),
      );
      void job.runNow();
    },
    stop: async () => job?.stop(),
  };
}
