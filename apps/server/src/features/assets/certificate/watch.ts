import { sql } from 'kysely';
import { EXPIRING_DAYS } from '@hes/contract/states/certificate.ts';
import type { FeatureTools } from '#features/feature-tools.ts';
import type { Context, Tx } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';

/** Each step of each certificate is reported once, so a frequent job reports it within the hour. */
const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Certificates that an event names; it counts the others. */
const NAMED = 20;
const CODES = { expiring: 60_050, expired: 60_051 } as const;
type Step = keyof typeof CODES;

export interface ExpiryTools {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>;
  events: Pick<EventWriter, 'store'>;
}

interface Ending {
  subject: string;
  sn: string | null;
  validTo: Date;
}

/** A certificate with a successor for the same owner, suite and usage needs no alarm. */
const isNotReplaced = (now: Date, until: Date) => sql<boolean>`not exists (
  select from certificate n where n.id <> c.id and n.kind = c.kind and n.subject = c.subject and n.suite = c.suite and n.usages = c.usages
    and n.valid_from <= ${now} and n.valid_to > ${until})`;

/** Marks the certificates of a step as reported and returns them; the locks keep other processes from reporting them as well. */
async function takeEnding(tx: Tx, step: Step, now: Date): Promise<Ending[]> {
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS);
  const isDue =
    step === 'expired'
      ? sql<boolean>`c.valid_to <= ${now} and c.announced is distinct from 'expired'`
      : sql<boolean>`c.valid_to > ${now} and c.valid_to <= ${soon} and c.announced is null`;
  const { rows } = await sql<Ending>`
    with due as (select c.id from certificate c where ${isDue} and ${isNotReplaced(now, soon)} for update skip locked),
    told as (update certificate c set announced = ${step} from due where c.id = due.id returning c.subject, c.system_title, c.valid_to)
    select subject, valid_to as "validTo", coalesce((select sn from meter where system_title = told.system_title limit 1),
      (select sn from dcu where system_title = told.system_title limit 1)) as sn
    from told order by valid_to, subject`.execute(tx);
  return rows;
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
export function certificateWatch({ ctx, events }: FeatureTools): { start(): void; stop(): Promise<void> } {
  let job: PeriodicJob | undefined;
  return {
    start() {
      job = startPeriodicJob(
        EVERY_MS,
        () => reportEnding({ ctx, events }),
        (error) => ctx.log.warn('Certificates that expire could not be reported', { error }),
      );
      void job.runNow();
    },
    stop: async () => job?.stop(),
  };
}
