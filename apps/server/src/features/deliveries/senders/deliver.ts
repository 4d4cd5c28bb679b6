import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { readCursor, writeCursor } from '../feed/cursor.ts';
import { FIND_ITEMS, type ItemOf } from '../feed/items.ts';
import { readOutbox } from '../feed/outbox-queries.ts';
import { audienceOf } from './area.ts';
import { cloudEventOf } from './cloud-events.ts';
import { implementationOf, type Connections } from './connections.ts';
import { DeliveryFailed } from './kinds/kind.ts';
import { insertDeadLetter, storeProgress, type Attempts, type Progress, type StoredSender } from './queries.ts';

/** A batch grows by this with each success until it is full again. */
const GROWTH_ITEMS = 10;
/** Refusals of a message in a batch of its own, after which it is put aside. */
const MAX_REFUSALS = 2;
const IDLE_POSITION_MS = 3_600_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 600_000;

export interface Delivery {
  ctx: Pick<Context, 'db' | 'settings' | 'clock'>;
  connections: Connections;
}

type Delivered = { isDelivered: true } | { isDelivered: false; failure: SenderFailure; detail: string | null };

/** Delay before the next attempt: doubled with each failure. */
const waitAfter = (failures: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);

const NO_ATTEMPTS = { refusals: 0, putAside: 0, failures: 0, retryAt: 0 };
const batchItemsOf = (sender: StoredSender): number => implementationOf(sender).implemented.batchItems;
const attemptsOf = (sender: StoredSender, kind: FeedKind): Attempts =>
  sender.attempts[kind] ?? { ...NO_ATTEMPTS, size: batchItemsOf(sender) };

/** The next items of one kind, and the cursor behind them. */
interface Page {
  kind: FeedKind;
  items: ItemOf[FeedKind][];
  next: string;
  hasMore: boolean;
  /** Entries were read, although none of them may be in the area. */
  isMoved: boolean;
}

async function readPage({ ctx }: Delivery, sender: StoredSender, kind: FeedKind, position: string): Promise<Page> {
  const { entries, next, hasMore } = await readOutbox(ctx.db, kind, readCursor(position), attemptsOf(sender, kind).size);
  const items = entries.length === 0 ? [] : await FIND_ITEMS[kind](ctx, audienceOf(sender.levelIds), entries);
  return { kind, items, next: writeCursor(next), hasMore, isMoved: entries.length > 0 };
}

async function send({ ctx, connections }: Delivery, sender: StoredSender, { kind, items }: Page): Promise<void> {
  const [first, last] = [items[0]?.id ?? '', items.at(-1)?.id ?? ''];
  const events = items.map((item) => cloudEventOf(kind, item));
  const connection = await connections.of(sender);
  await connection.send({ id: `${kind}-${first}-${last}`, kind, step: sender.step, at: ctx.clock.now(), events });
}

const grown = (sender: StoredSender, size: number): number => Math.min(batchItemsOf(sender), size + GROWTH_ITEMS);
const halved = (size: number): number => Math.max(1, Math.floor(size / 2));
/** Failures that a smaller batch may not have. */
const mayBeTooLarge = ({ failure, detail }: Extract<Delivered, { isDelivered: false }>): boolean =>
  failure === 'timeout' || (failure === 'status' && detail?.startsWith('5') === true);

/** The attempts of a kind after one more, whose page had this many items. Halves find the message that is refused. */
function attemptsAfter(before: Attempts, items: number, outcome: Extract<Delivered, { isDelivered: false }>, now: number): Attempts {
  const { failures, putAside, refusals } = before;
  if (outcome.failure !== 'refused') {
    const size = mayBeTooLarge(outcome) ? halved(items) : before.size;
    return { ...before, size, failures: failures + 1, retryAt: now + waitAfter(failures + 1) };
  }
  if (items > 1) return { ...before, size: halved(items), refusals: 0 };
  if (refusals + 1 < MAX_REFUSALS) return { ...before, size: 1, refusals: refusals + 1 };
  // One wrong message holds up nothing. A receiver that refuses everything must not get all of it put aside at once.
  const retryAt = putAside === 0 ? 0 : now + waitAfter(putAside);
  return { size: 1, refusals: 0, putAside: putAside + 1, failures: putAside, retryAt };
}

function progressOf({ ctx }: Delivery, sender: StoredSender, page: Page, outcome: Delivered): Progress & { isDead: boolean } {
  const { kind, items, next } = page;
  const before = attemptsOf(sender, kind);
  const after = outcome.isDelivered
    ? { ...NO_ATTEMPTS, size: grown(sender, before.size) }
    : attemptsAfter(before, items.length, outcome, ctx.clock.now());
  const isDead = after.putAside > before.putAside;
  return {
    positions: isDead || outcome.isDelivered ? { ...sender.positions, [kind]: next } : sender.positions,
    attempts: { ...sender.attempts, [kind]: after },
    delivered: outcome.isDelivered ? items.length : 0,
    failure: outcome.isDelivered ? undefined : { code: outcome.failure, detail: outcome.detail },
    isDead,
  };
}

/** Stores the outcome; a message that is put aside and the position behind it are stored together. */
function store(
  { ctx }: Delivery,
  sender: StoredSender,
  page: Page,
  { isDead, ...progress }: Progress & { isDead: boolean },
): Promise<StoredSender | undefined> {
  return ctx.db.transaction().execute(async (tx) => {
    const now = await storeProgress(tx, sender, progress);
    const [item] = page.items;
    if (now !== undefined && isDead && item !== undefined) {
      const reason = `${progress.failure?.code ?? ''} ${progress.failure?.detail ?? ''}`.trim();
      await insertDeadLetter(tx, sender.id, { messageId: item.id, kind: page.kind, reason, content: cloudEventOf(page.kind, item) });
    }
    return now;
  });
}

/** Moves a position over entries that are in no area of the sender. */
function passOver({ ctx }: Delivery, sender: StoredSender, { kind, next }: Page): Promise<StoredSender | undefined> {
  const attempts = attemptsOf(sender, kind);
  return storeProgress(ctx.db, sender, {
    positions: { ...sender.positions, [kind]: next },
    attempts: { ...sender.attempts, [kind]: { ...attempts, size: grown(sender, attempts.size) } },
    delivered: 0,
    failure: undefined,
  });
}

function failedBy(error: unknown): Delivered {
  if (error instanceof DeliveryFailed) return { isDelivered: false, failure: error.failure, detail: error.detail };
  const failure = error instanceof ApiError && error.code === 'FEED_GONE' ? 'position_gone' : 'internal';
  return { isDelivered: false, failure, detail: error instanceof Error ? error.message.slice(0, 200) : null };
}

/** An idle sender writes nothing, but its position must not become older than the outbox. */
const isStale = ({ ctx }: Delivery, position: string): boolean => ctx.clock.now() - readCursor(position).t > IDLE_POSITION_MS;

/** One attempt for one kind. Undefined as `sender`: a user or another node has moved it; `hasMore`: another attempt may follow at once. */
async function attempt(
  delivery: Delivery,
  sender: StoredSender,
  kind: FeedKind,
): Promise<{ sender: StoredSender | undefined; hasMore: boolean }> {
  const position = sender.positions[kind];
  const waitMs = attemptsOf(sender, kind).retryAt - delivery.ctx.clock.now();
  // A wall clock that was set back makes no wait longer than the longest one.
  const isWaiting = waitMs > 0 && waitMs <= LONGEST_WAIT_MS;
  if (position === undefined || isWaiting) return { sender, hasMore: false };
  let page: Page = { kind, items: [], next: position, hasMore: false, isMoved: false };
  let outcome: Delivered;
  try {
    page = await readPage(delivery, sender, kind, position);
    if (page.items.length === 0) {
      const isIdle = !page.isMoved && !page.hasMore && !isStale(delivery, position);
      return isIdle ? { sender, hasMore: false } : { sender: await passOver(delivery, sender, page), hasMore: page.hasMore };
    }
    await send(delivery, sender, page);
    outcome = { isDelivered: true };
  } catch (error) {
    outcome = failedBy(error);
    // A connection on which a message failed may be in any state.
    await delivery.connections.drop(sender.id);
  }
  return { sender: await store(delivery, sender, page, progressOf(delivery, sender, page, outcome)), hasMore: true };
}

/**
 * Delivers the items behind the positions of a sender. Returns when none are left, when each kind that has some waits after a failure, or
 * when `mustStop` says so: then, and when a user or another node has moved the sender, with undefined. A kind that fails delays no other one. Items of one kind are sent one after another, so those of a meter keep
 * their order. After a crash between answer and commit, a message is sent again.
 */
export async function deliver(delivery: Delivery, start: StoredSender, mustStop: () => boolean): Promise<StoredSender | undefined> {
  let sender = start;
  for (let isBusy = true; isBusy && !mustStop();) {
    isBusy = false;
    for (const kind of sender.contents) {
      if (mustStop()) return undefined;
      const { sender: next, hasMore } = await attempt(delivery, sender, kind);
      if (next === undefined) return undefined;
      sender = next;
      isBusy ||= hasMore;
    }
  }
  return mustStop() ? undefined : sender;
}
