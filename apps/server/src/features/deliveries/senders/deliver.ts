import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { readCursor, writeCursor } from '../feed/cursor.ts';
import { FIND_ITEMS, type ItemOf } from '../feed/items.ts';
import { readOutbox } from '../feed/outbox-queries.ts';
import { audienceOf } from './area.ts';
import { BATCH_TYPE, cloudEventOf } from './cloud-events.ts';
import { insertDeadLetter, purposeOf, storeProgress, type Progress, type StoredSender } from './queries.ts';
import type { Delivered, WebhookClient } from './webhook.ts';

const BATCH_ITEMS = 100;
/** A message that the receiver refused this often is put aside, and the next ones follow. */
const MAX_REFUSALS = 5;
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
  const limit = sender.singles > 0 ? 1 : BATCH_ITEMS;
  const { entries, next, hasMore } = await readOutbox(ctx.db, kind, readCursor(position), limit);
  const items = entries.length === 0 ? [] : await FIND_ITEMS[kind](ctx, audienceOf(sender.levelIds), entries);
  return { kind, items, next: writeCursor(next), hasMore, isMoved: entries.length > 0 };
}

async function send({ ctx, client, networks }: Delivery, sender: StoredSender, { kind, items }: Page): Promise<Delivered> {
  const [first, last] = [items[0]?.id ?? '', items.at(-1)?.id ?? ''];
  const secret = ctx.secrets.open(sender.secret, purposeOf(sender)).toString();
  return client.post(
    { url: sender.url, secret, networks },
    {
      id: `${kind}-${first}-${last}`,
      timestamp: Math.floor(ctx.clock.now() / 1000),
      contentType: BATCH_TYPE,
      body: JSON.stringify(items.map((item) => cloudEventOf(kind, item))),
    },
  );
}

/** The progress after an attempt. A refused batch is sent again message by message, to find the one that is refused. */
function progressOf(sender: StoredSender, page: Page, outcome: Delivered): Progress & { isDead: boolean } {
  const moved = { ...sender.positions, [page.kind]: page.next };
  const rest = Math.max(0, sender.singles - 1);
  if (outcome.isDelivered)
    return {
      positions: moved,
      singles: rest,
      refusals: 0,
      failures: 0,
      delivered: page.items.length,
      waitMs: 0,
      failure: undefined,
      isDead: false,
    };
  const failures = sender.failures + 1;
  const failure = { code: outcome.failure, detail: outcome.detail };
  const failed = {
    positions: sender.positions,
    singles: sender.singles,
    refusals: sender.refusals,
    failures,
    delivered: 0,
    waitMs: waitAfter(failures),
    failure,
  };
  if (outcome.failure !== 'refused') return { ...failed, isDead: false };
  if (page.items.length > 1) return { ...failed, singles: page.items.length, refusals: 0, waitMs: 0, isDead: false };
  const refusals = sender.refusals + 1;
  if (refusals < MAX_REFUSALS) return { ...failed, refusals, isDead: false };
  return { ...failed, positions: moved, singles: rest, refusals: 0, failures: 0, waitMs: 0, isDead: true };
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
const passOver = ({ ctx }: Delivery, sender: StoredSender, page: Page): Promise<StoredSender | undefined> =>
  storeProgress(ctx.db, sender, {
    positions: { ...sender.positions, [page.kind]: page.next },
    singles: Math.max(0, sender.singles - 1),
    refusals: sender.refusals,
    failures: sender.failures,
    delivered: 0,
    waitMs: 0,
    failure: undefined,
  });

const internal = (error: unknown): Delivered => ({
  isDelivered: false,
  failure: error instanceof ApiError && error.code === 'FEED_GONE' ? 'position_gone' : 'internal',
  detail: error instanceof Error ? error.message.slice(0, 200) : null,
});

/** An idle sender writes nothing, but its position must not become older than the outbox. */
const isStale = ({ ctx }: Delivery, position: string): boolean => ctx.clock.now() - readCursor(position).t > IDLE_POSITION_MS;

/** One attempt for one kind. Undefined as `sender`: a user or another node has moved it, or it failed; as `hasMore`: nothing is left. */
async function attempt(
  delivery: Delivery,
  sender: StoredSender,
  kind: FeedKind,
): Promise<{ sender: StoredSender | undefined; hasMore: boolean }> {
  const position = sender.positions[kind];
  if (position === undefined) return { sender, hasMore: false };
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
  const progress = progressOf(sender, page, outcome);
  const now = await store(delivery, sender, page, progress);
  return { sender: progress.waitMs > 0 ? undefined : now, hasMore: true };
}

/**
 * Delivers what is behind the positions of a sender until nothing is left, an attempt fails, or it is told to stop. Items of one kind leave one
 * after another, so those of a meter keep their order. At least once: after a crash between answer and commit, a message is sent again.
 */
export async function deliver(delivery: Delivery, start: StoredSender, mustStop: () => boolean): Promise<void> {
  let sender = start;
  for (let isBusy = true; isBusy && !mustStop();) {
    isBusy = false;
    for (const kind of sender.contents) {
      const { sender: next, hasMore } = await attempt(delivery, sender, kind);
      if (next === undefined) return;
      sender = next;
      isBusy ||= hasMore;
    }
  }
}
