import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { readCursor, writeCursor } from '../feed/cursor.ts';
import { FIND_ITEMS, type ItemOf } from '../feed/items.ts';
import { readOutbox } from '../feed/outbox-queries.ts';
import { audienceOf } from './area.ts';
import { BATCH_TYPE, cloudEventOf } from './cloud-events.ts';
import { insertDeadLetter, purposeOf, storeProgress, type Attempts, type Progress, type StoredSender } from './queries.ts';
import type { Delivered, WebhookClient } from './webhook.ts';

const BATCH_ITEMS = 100;
/** A batch grows by this with each success until it is full again. */
const GROWTH_ITEMS = 10;
/** Refusals of a message in a batch of its own, after which it is put aside. */
const MAX_REFUSALS = 2;
const IDLE_POSITION_MS = 3_600_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 600_000;

export interface Delivery {
  ctx: Pick<Context, 'db' | 'settings' | 'secrets' | 'clock'>;
  client: WebhookClient;
  networks: readonly string[];
}

/** Delay before the next attempt: doubled with each failure. */
const waitAfter = (failures: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);

const NO_ATTEMPTS: Attempts = { size: BATCH_ITEMS, refusals: 0, putAside: 0, failures: 0, retryAt: 0 };
const attemptsOf = ({ attempts }: StoredSender, kind: FeedKind): Attempts => attempts[kind] ?? NO_ATTEMPTS;

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

/** Posts a batch to the receiver of a sender. */
export function postBatch({ ctx, client, networks }: Delivery, sender: StoredSender, batch: { id: string; events: readonly object[] }) {
  const secret = ctx.secrets.open(sender.secret, purposeOf(sender)).toString();
  const timestamp = Math.floor(ctx.clock.now() / 1000);
  const message = { id: batch.id, timestamp, contentType: BATCH_TYPE, body: JSON.stringify(batch.events) };
  return client.post({ url: sender.url, secret, networks }, message);
}

async function send(delivery: Delivery, sender: StoredSender, { kind, items }: Page): Promise<Delivered> {
  const [first, last] = [items[0]?.id ?? '', items.at(-1)?.id ?? ''];
  return postBatch(delivery, sender, { id: `${kind}-${first}-${last}`, events: items.map((item) => cloudEventOf(kind, item)) });
}

const grown = (size: number): number => Math.min(BATCH_ITEMS, size + GROWTH_ITEMS);
const halved = (size: number): number => Math.max(1, Math.floor(size / 2));
/** Failures that a smaller batch may not have. */
const mayBeTooLarge = ({ failure, detail }: Extract<Delivered, { isDelivered: false }>): boolean =>
  failure === 'timeout' || (failure === 'status' && detail?.startsWith('5') === true);

/** The attempts of a kind after one more, whose page had this many items. Halves find the message that is refused. */
function attemptsAfter(before: Attempts, items: number, outcome: Delivered, now: number): Attempts {
  if (outcome.isDelivered) return { ...NO_ATTEMPTS, size: grown(before.size) };
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
  const after = attemptsAfter(before, items.length, outcome, ctx.clock.now());
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
    attempts: { ...sender.attempts, [kind]: { ...attempts, size: grown(attempts.size) } },
    delivered: 0,
    failure: undefined,
  });
}

const internal = (error: unknown): Delivered => ({
  isDelivered: false,
  failure: error instanceof ApiError && error.code === 'FEED_GONE' ? 'position_gone' : 'internal',
  detail: error instanceof Error ? error.message.slice(0, 200) : null,
});

/** An idle sender writes nothing, but its position must not become older than the outbox. */
const isStale = ({ ctx }: Delivery, position: string): boolean => ctx.clock.now() - readCursor(position).t > IDLE_POSITION_MS;

/** One attempt for one kind. Undefined as `sender`: a user or another node has moved it; `hasMore`: another attempt may follow at once. */
async function attempt(
  delivery: Delivery,
  sender: StoredSender,
  kind: FeedKind,
): Promise<{ sender: StoredSender | undefined; hasMore: boolean }> {
  const position = sender.positions[kind];
  const isWaiting = attemptsOf(sender, kind).retryAt > delivery.ctx.clock.now();
  if (position === undefined || isWaiting) return { sender, hasMore: false };
  let page: Page = { kind, items: [], next: position, hasMore: false, isMoved: false };
  let outcome: Delivered;
  try {
    page = await readPage(delivery, sender, kind, position);
    if (page.items.length === 0) {
      const isIdle = !page.isMoved && !page.hasMore && !isStale(delivery, position);
      return isIdle ? { sender, hasMore: false } : { sender: await passOver(delivery, sender, page), hasMore: page.hasMore };
    }
    outcome = await send(delivery, sender, page);
  } catch (error) {
    outcome = internal(error);
  }
  return { sender: await store(delivery, sender, page, progressOf(delivery, sender, page, outcome)), hasMore: true };
}

/**
 * Delivers the items behind the positions of a sender. Returns when none are left, when each kind that has some waits after a failure, or
 * when `mustStop` says so. A kind that fails delays no other one. Items of one kind are sent one after another, so those of a meter keep
 * their order. After a crash between answer and commit, a message is sent again.
 */
export async function deliver(delivery: Delivery, start: StoredSender, mustStop: () => boolean): Promise<void> {
  let sender = start;
  for (let isBusy = true; isBusy && !mustStop();) {
    isBusy = false;
    for (const kind of sender.contents) {
      if (mustStop()) return;
      const { sender: next, hasMore } = await attempt(delivery, sender, kind);
      if (next === undefined) return;
      sender = next;
      isBusy ||= hasMore;
    }
  }
}
