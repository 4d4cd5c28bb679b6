import type { FeedKind, FeedQuery } from '@hes/contract/delivery/feed.ts';
import type { Context, User } from '#db/context.ts';
import { msAfter, msBetween } from '#platform/clock.ts';
import { cursorFromNow, cursorSince, readOutbox } from './outbox-queries.ts';
import { readCursor, writeCursor, type Cursor } from './cursor.ts';
import { FIND_ITEMS, type ItemOf } from './items.ts';
import { follow } from './reader-queries.ts';
import type { FeedWaits } from './waits.ts';

const startOf = (ctx: Context, kind: FeedKind, { after, since }: FeedQuery): Promise<Cursor> => {
  if (after !== undefined) return Promise.resolve(readCursor(after));
  return since === undefined ? cursorFromNow(ctx.db, kind) : cursorSince(ctx.db, kind, new Date(since));
};

/** One page of a feed. Waits for the first item that the user may see, as long as the query says. */
export function readFeed<K extends FeedKind>(
  ctx: Context,
  user: User,
  waits: FeedWaits,
  { kind, query }: { kind: K; query: FeedQuery },
): Promise<FeedPage<K>> {
  const read = () => readPages(ctx, user, waits.watch(kind), { kind, query });
  return query.wait === 0 ? read() : waits.of(user.id, read);
}

interface FeedPage<K extends FeedKind> {
  items: ItemOf[K][];
  next: string;
  hasMore: boolean;
}

async function readPages<K extends FeedKind>(
  ctx: Context,
  user: User,
  watch: ReturnType<FeedWaits['watch']>,
  { kind, query }: { kind: K; query: FeedQuery },
): Promise<FeedPage<K>> {
  await follow(ctx.db, kind, `feed:${user.id}`);
  const endsAt = msAfter(ctx.clock.monotonic(), query.wait * 1000);
  let cursor = await startOf(ctx, kind, query);
  for (;;) {
    // Read before the rows: those that become visible meanwhile end the wait at once.
    const { version } = watch;
    const { entries, next, hasMore } = await readOutbox(ctx.db, kind, cursor, query.limit);
    cursor = next;
    const items = entries.length === 0 ? [] : await FIND_ITEMS[kind](ctx, user, entries);
    const leftMs = msBetween(ctx.clock.monotonic(), endsAt);
    if (items.length > 0 || leftMs <= 0) return { items, next: writeCursor(next), hasMore };
    if (!hasMore) await watch.next(version, leftMs);
  }
}
