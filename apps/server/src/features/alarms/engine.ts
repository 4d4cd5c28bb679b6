import { dayText, Zone } from '@hes/contract/schedule/zone.ts';
import type { Context } from '#db/context.ts';
import { inTurn, type Turns } from '#nodes/turns.ts';
import { GuardedHttp } from '#platform/guarded-http.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { closeAlarms, endAlarmsOfPausedRules, findActiveRules, followEvents, insertDigest } from './alarm-queries.ts';
import { isDigestDue } from './criteria.ts';
import { DueTimes } from './due-times.ts';
import { findAlarms } from './find-alarms.ts';
import { dropMessages } from './message-queries.ts';
import { MessageRuns, type Sending } from './send-messages.ts';
import { takeSteps } from './take-steps.ts';

const EVERY_MS = 1000;
/** Passes of one run over new events. Steps and messages go on during a storm, and the job can stop. */
const MAX_PASSES = 5;

/** Opens the digests of today whose time has come. A rule that was added or resumed after it waits for tomorrow. */
async function openDigests({ db, settings, clock }: Pick<Context, 'db' | 'settings' | 'clock'>): Promise<void> {
  const zone = new Zone(settings.timeZone);
  const now = clock.now();
  const day = dayText(zone.dayOf(now));
  for (const rule of await findActiveRules(db, 'digest')) {
    if (!isDigestDue(rule.criteria, rule.effectiveAt.getTime(), now, zone)) continue;
    await db.transaction().execute((tx) => insertDigest(tx, rule, day, new Date(now)));
  }
}

/** Starts the search for alarms and the sending of their messages, on the node that has their turn. */
export function startAlarms(ctx: Context, turns: Turns, networks: readonly string[]): PeriodicJob {
  const client = new GuardedHttp();
  const events = new EventWriter(ctx);
  const sending: Sending = { ctx, client, networks, events };
  const [steps, messages] = [new DueTimes(ctx.clock), new DueTimes(ctx.clock)];
  const runs = new MessageRuns();
  const work = async () => {
    for (let pass = 0; pass < MAX_PASSES && (await findAlarms(ctx)); pass++);
    const now = new Date(ctx.clock.now());
    await followEvents(ctx.db, now);
    await openDigests(ctx);
    await endAlarmsOfPausedRules(ctx.db, now);
    await dropMessages(ctx.db);
    await takeSteps(ctx, steps);
    await closeAlarms(ctx.db, now);
    await runs.start(sending, messages);
  };
  const job = startPeriodicJob(EVERY_MS, inTurn(turns, 'alarms', work), (error) =>
    ctx.log.warn('Alarms could not be processed; the next attempt follows', { error }),
  );
  return {
    async runNow() {
      await job.runNow();
      await runs.settle();
    },
    async stop() {
      await job.stop();
      await runs.stop();
      client.close();
      await events.stop();
    },
  };
}
