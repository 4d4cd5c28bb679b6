import type { FeedKind, FeedQuery } from '@hes/contract/delivery/feed.ts';
import type { Context, User } from '#db/context.ts';
import { msAfter } from '#platform/clock.ts';
import { cursorFromNow, cursorSince, readOutbox } from './outbox-queries.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { FIND_ITEMS, type ItemOf } from './items.ts';
import { follow } from './reader-queries.ts';

/** A waiting call looks for rows at this interval. */
const LOOK_MS = 500;

const startOf = (ctx: Context, kind: FeedKind, { after, since }: FeedQuery): Promise<Cursor> => {
  if (after !== undefined) return Promise.resolve(readCursor(after));
  return since === undefined ? cursorFromNow(ctx.db, kind) : cursorSince(ctx.db, kind, new Date(since));
};

/** One page of a feed. Waits for the first item that the user may see, as long as the query says. */
export async function readFeed<K extends FeedKind>(
  ctx: Context,
  user: User,
  kind: K,
  query: FeedQuery,
): Promise<{ items: ItemOf[K][]; next: string; hasMore: boolean }> {
  await follow(ctx.db, kind, `feed:${user.id}`);
  const endsAt = msAfter(ctx.clock.monotonic(), query.wait * 1000);
  let cursor = await startOf(ctx, kind, query);
  for (;;) {
    const { entries, next, hasMore } = await readOutbox(ctx.db, kind, cursor, query.limit);
    cursor = next;
    const items = entries.length === 0 ? [] : await FIND_ITEMS[kind](ctx, user, entries);
    if (items.length > 0 || ctx.clock.monotonic() >= endsAt) return { items, next: writeCursor(next), hasMore };
    if (!hasMore) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
