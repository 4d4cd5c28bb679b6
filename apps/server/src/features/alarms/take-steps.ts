import { randomUUID } from 'node:crypto';
import { namesRecipient } from '@hes/contract/alarm/template.ts';
import type { AlarmStep } from '@hes/contract/alarm/rule.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, Tx } from '#db/context.ts';
import { findWaitingAlarms, takeStep, type WaitingAlarm } from './alarm-queries.ts';
import { isQuiet, minuteOfDay } from './criteria.ts';
import { leftOf } from './kept-steps.ts';
import type { DueTimes, Wait } from './due-times.ts';
import { waitingOutcome } from './outcomes.ts';
import {
  findChannelOfStep,
  findRecipients,
  hasWaitingMessage,
  insertMessages,
  type ChannelOfStep,
  type NewMessage,
} from './message-queries.ts';

type Tools = Pick<Context, 'db' | 'settings' | 'clock'>;

const waitOf = ({ id, waitSeconds, waitSince }: WaitingAlarm): Wait => ({
  key: `alarm/${id}`,
  seconds: waitSeconds ?? 0,
  since: waitSince ?? new Date(0),
});

/** Groups recipients into messages: one mail for each language, one call for each recipient that a template names. */
async function messagesOf(tx: Tx, channel: ChannelOfStep, { recipientIds }: AlarmStep): Promise<Pick<NewMessage, 'outcomes' | 'locale'>[]> {
  const recipients = await findRecipients(tx, recipientIds);
  if (channel.kind === 'webhook' && namesRecipient(channel.template))
    return recipients.map((recipient) => ({ outcomes: [waitingOutcome(recipient)], locale: recipient.locale }));
  if (recipients.length === 0) return [{ outcomes: [], locale: channel.locale }];
  return [...Map.groupBy(recipients, ({ locale }) => locale)].map(([locale, members]) => ({
    locale,
    outcomes: members.map(waitingOutcome),
  }));
}

/** Seconds until the step after the one with this index; null: none follows. */
function nextWait({ rule: { kind, steps, criteria } }: WaitingAlarm, index: number): number | null {
  const [taken, next] = [steps[index], steps[index + 1]];
  if (kind === 'digest') return null;
  if (taken !== undefined && next !== undefined) return (next.afterMinutes - taken.afterMinutes) * 60;
  return criteria.repeatMinutes > 0 ? criteria.repeatMinutes * 60 : null;
}

/** Takes the step that is due: moves the alarm behind it and stores its messages, both or neither. */
async function takeDueStep(tx: Tx, alarm: WaitingAlarm, now: Date): Promise<void> {
  const { steps } = alarm.rule;
  const index = Math.min(alarm.step, steps.length - 1);
  const planned = steps[index];
  const step = planned && leftOf(planned, alarm.ruleSteps);
  const channel = step && (await findChannelOfStep(tx, step.channelId));
  const wait = nextWait(alarm, index);
  // A step of which nothing is left, or a channel that fails already, does not hold up the next step.
  const isHurried = (channel === undefined || channel.isReported) && index + 1 < steps.length && wait !== null;
  if (!(await takeStep(tx, alarm, { waitSeconds: isHurried ? 0 : wait, now }))) return;
  if (step === undefined || channel === undefined) return;
  // The waiting message is composed when it is sent, so a repetition would say the same.
  if (alarm.step >= steps.length && (await hasWaitingMessage(tx, alarm.id, channel.id))) return;
  const messages = await messagesOf(tx, channel, step);
  await insertMessages(
    tx,
    messages.map((message) => ({ ...message, alarmId: alarm.id, channelId: channel.id, step: alarm.step + 1, messageId: randomUUID() })),
    now,
  );
}

/** Takes all steps that are due and not held back by quiet hours. */
export async function takeSteps({ db, settings, clock }: Tools, due: DueTimes): Promise<void> {
  const alarms = await findWaitingAlarms(db);
  due.keep(alarms.map(waitOf));
  const now = clock.now();
  const minute = minuteOfDay(now, new Zone(settings.timeZone));
  for (const alarm of alarms) {
    if (!due.isDue(waitOf(alarm)) || (alarm.rule.kind === 'alarm' && isQuiet(alarm.rule.criteria, alarm.level, minute))) continue;
    await db.transaction().execute((tx) => takeDueStep(tx, alarm, new Date(now)));
  }
}
