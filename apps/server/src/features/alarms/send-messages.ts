import type { Context } from '#db/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { hurryAlarm } from './alarm-queries.ts';
import { findChannel, storeChannelFailure, storeChannelSuccess, type StoredChannel } from './channel-queries.ts';
import { contentOf } from './compose.ts';
import type { DueTimes, Wait } from './due-times.ts';
import { failed, type Sent } from './mail.ts';
import {
  countSent,
  findRecipients,
  findWaitingMessages,
  isToBeSent,
  storeFailed,
  storeSent,
  type StoredMessage,
} from './message-queries.ts';
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

async function attempt(sending: Sending, channel: StoredChannel, message: StoredMessage): Promise<Sent> {
  const { ctx } = sending;
  try {
    const content = await contentOf(ctx, message.alarmId, message.step);
    const recipients = await findRecipients(ctx.db, message.recipientIds);
    return await postMessage(sending, channel, { ...message, content, recipients });
  } catch (error) {
    return failed('internal', error instanceof Error ? error.message : String(error));
  }
}

/** Stores a failure, raises the alarm of the head-end once for a failing channel, and makes the next step due. */
async function storeFailure(
  { ctx, events }: Sending,
  channel: StoredChannel,
  message: StoredMessage,
  { failure, answer, isFinal }: Extract<Sent, { isSent: false }>,
): Promise<void> {
  const now = new Date(ctx.clock.now());
  // A recipient without an address says nothing about the channel, but the next step may reach another one.
  const isOfChannel = failure !== 'no_address';
  const isFailing = isOfChannel && (isFinal || channel.failures + 1 >= FAILURES_REPORTED);
  // The event is stored before its mark: after a crash between them it is raised twice, not never.
  if (isFailing && !channel.isReported)
    await storeOwnEvent(events, {
      code: CHANNEL_FAILS,
      occurAt: now.getTime(),
      message: `${channel.name}: ${failure}${answer === null ? '' : ` (${answer})`}`,
    });
  const isOver = isFinal || message.attempts + 1 >= MAX_ATTEMPTS;
  await ctx.db.transaction().execute(async (tx) => {
    if (isOfChannel) await storeChannelFailure(tx, channel.id, { code: failure, detail: answer, isReported: isFailing, now });
    await storeFailed(tx, message.id, { code: failure, answer, waitSeconds: isOver ? null : waitAfter(message.attempts), now });
    if (isFailing || isOver) await hurryAlarm(tx, message.alarmId, message.step, now);
  });
}

/** Sends one message. False: its channel failed for now, so the next message would fail as well. */
async function send(sending: Sending, channel: StoredChannel, message: StoredMessage): Promise<boolean> {
  const { ctx } = sending;
  const outcome = await attempt(sending, channel, message);
  if (!outcome.isSent) {
    await storeFailure(sending, channel, message, outcome);
    return outcome.isFinal;
  }
  const now = new Date(ctx.clock.now());
  await ctx.db.transaction().execute(async (tx) => {
    await storeSent(tx, message.id, now, outcome.answer);
    await storeChannelSuccess(tx, channel.id, now);
  });
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
    if (!(await isToBeSent(db, message.id))) continue;
    if (!(await send(sending, channel, message))) return;
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
