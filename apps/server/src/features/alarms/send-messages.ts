import type { Context } from '#db/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { hurryAlarm } from './alarm-queries.ts';
import { findChannel, storeChannelFailure, storeChannelSuccess, type StoredChannel } from './channel-queries.ts';
import { contentOf } from './compose.ts';
import type { DueTimes, Wait } from './due-times.ts';
import { failed, type Sent } from './mail.ts';
import { leftOf } from './kept-steps.ts';
import {
  countSent,
  dropMessage,
  findMessageToSend,
  findRecipients,
  findWaitingMessages,
  storeAttempt,
  type MessageToSend,
  type StoredMessage,
} from './message-queries.ts';
import { outcomesAfter, roundOf, stateAfter, type Round } from './outcomes.ts';
import { postMessage, type Outlet } from './post-message.ts';

/** Code in the log of the head-end. */
const CHANNEL_FAILS = 60_060;
const FAILURES_REPORTED = 3;
const MAX_ATTEMPTS = 40;
const FIRST_WAIT_S = 5;
const LONGEST_WAIT_S = 600;
const HOUR_MS = 3_600_000;
/** Messages of one channel an hour; a storm of many causes must not block the mailbox of its readers. */
const MAX_PER_HOUR = 30;

export interface Sending extends Outlet {
  ctx: Pick<Context, 'db' | 'settings' | 'secrets' | 'clock' | 'log'>;
  events: Pick<EventWriter, 'store'>;
}

const waitOf = ({ id, waitSeconds, waitSince }: StoredMessage): Wait => ({ key: `message/${id}`, seconds: waitSeconds, since: waitSince });
const waitAfter = (attempts: number): number => Math.min(FIRST_WAIT_S * 2 ** attempts, LONGEST_WAIT_S);

/** Sends a message to the recipients of a round. Does not throw. */
async function attempt(sending: Sending, channel: StoredChannel, message: StoredMessage, { recipients }: Round): Promise<Sent> {
  const { ctx } = sending;
  try {
    const content = await contentOf(ctx, message.alarmId, message.step);
    return await postMessage(sending, channel, { ...message, content, recipients });
  } catch (error) {
    return failed('internal', error instanceof Error ? error.message : String(error));
  }
}

/** Outcome of a round without a recipient to try: none has an address, or all were removed. */
const untried = ({ outcomes }: Round): Sent | undefined =>
  outcomes.some(({ failure }) => failure === 'no_address') ? failed('no_address', null, { isFinal: true }) : undefined;

/**
 * Raises the alarm of the head-end once for a failing channel. Returns whether it fails. A recipient without an address, or one that is refused
 * while others were accepted, says nothing about the channel.
 */
async function judgeChannel({ ctx, events }: Sending, channel: StoredChannel, sent: Sent): Promise<boolean> {
  if (sent.isSent) return false;
  const isFailing = sent.isFinal || channel.failures + 1 >= FAILURES_REPORTED;
  // The event is stored before its mark: after a crash between them it is raised twice, not never.
  if (isFailing && !channel.isReported)
    await storeOwnEvent(events, {
      code: CHANNEL_FAILS,
      occurAt: ctx.clock.now(),
      message: `${channel.name}: ${sent.failure}${sent.answer === null ? '' : ` (${sent.answer})`}`,
    });
  return isFailing;
}

/** Stores what came of an attempt, with its consequences for the channel and for the next step of the alarm. */
async function storeResult(sending: Sending, channel: StoredChannel, message: StoredMessage, round: Round, sent: Sent): Promise<boolean> {
  const { ctx } = sending;
  const now = new Date(ctx.clock.now());
  const isOver = (!sent.isSent && sent.isFinal) || message.attempts + 1 >= MAX_ATTEMPTS;
  const outcomes = outcomesAfter(round, sent, isOver);
  const wasAccepted = outcomes.some(({ state }) => state === 'sent');
  const failure = sent.isSent ? null : sent.failure;
  const isOfChannel = failure !== null && failure !== 'no_address' && !wasAccepted;
  const isFailing = isOfChannel && (await judgeChannel(sending, channel, sent));
  const state = stateAfter(outcomes, sent.isSent, isOver);
  const waitSeconds = state === 'waiting' ? waitAfter(message.attempts) : 0;
  const isUncertain = !sent.isSent && sent.isUncertain;
  await ctx.db.transaction().execute(async (tx) => {
    if (failure !== null && isOfChannel)
      await storeChannelFailure(tx, channel.id, { code: failure, detail: sent.answer, isReported: isFailing, now });
    if (sent.isSent) await storeChannelSuccess(tx, channel.id, now);
    const isAccepted = sent.isSent;
    await storeAttempt(tx, message.id, now, { state, outcomes, isAccepted, isUncertain, failure, answer: sent.answer, waitSeconds });
    if ((isFailing || state === 'failed') && !wasAccepted) await hurryAlarm(tx, message.alarmId, message.step, now);
  });
  return !isOfChannel || isOver;
}

/** Sends one message. False: its channel failed for now, so the next message would fail as well. */
async function send(sending: Sending, channel: StoredChannel, message: MessageToSend): Promise<boolean> {
  const { db, clock } = sending.ctx;
  const round = roundOf(message, channel.kind, await findRecipients(db, message.recipientIds));
  const isToTry = leftOf(message, message.ruleSteps) !== undefined && (round.recipients.length > 0 || message.recipientIds.length === 0);
  const sent = isToTry ? await attempt(sending, channel, message, round) : untried(round);
  if (sent !== undefined) return storeResult(sending, channel, message, round, sent);
  await db.transaction().execute((tx) => dropMessage(tx, message.id, round.outcomes, new Date(clock.now())));
  return true;
}

/** Sends the due messages of one channel one after another, until one fails that is to be retried. */
async function sendAll(sending: Sending, channelId: string, messages: readonly StoredMessage[], mustStop: () => boolean): Promise<void> {
  const { db, clock } = sending.ctx;
  for (const message of messages) {
    const channel = await findChannel(db, channelId);
    if (mustStop() || channel === undefined || channel.isPaused) return;
    const now = clock.now();
    if ((await countSent(db, channelId, [new Date(now - HOUR_MS), new Date(now)])) >= MAX_PER_HOUR) return;
    const current = await findMessageToSend(db, message.id);
    if (current !== undefined && !(await send(sending, channel, current))) return;
  }
}

/** The running deliveries by channel, so that a slow server delays no other one. */
export class MessageRuns {
  readonly #running = new Map<string, Promise<void>>();
  #isStopping = false;

  /** Starts the channels that have due messages and do not send already. */
  async start(sending: Sending, due: DueTimes): Promise<void> {
    const waiting = await findWaitingMessages(sending.ctx.db);
    due.keep(waiting.map(waitOf));
    const ready = waiting.filter((message) => due.isDue(waitOf(message)));
    for (const [channelId, messages] of Map.groupBy(ready, (message) => message.channelId)) {
      if (this.#running.has(channelId)) continue;
      const run = sendAll(sending, channelId, messages, () => this.#isStopping)
        .catch((error: unknown) => sending.ctx.log.warn('Alarm messages were not sent; the next attempt follows', { error }))
        .finally(() => this.#running.delete(channelId));
      this.#running.set(channelId, run);
    }
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.settle();
  }
}
