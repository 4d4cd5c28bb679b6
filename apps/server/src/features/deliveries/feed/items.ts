import type { AssetItem, CommandItem, EventItem, FeedKind, ReadingItem } from '@hes/contract/delivery/feed.ts';
import type { Context, User } from '#db/context.ts';
import { findAssets, findCommands, findEvents } from './item-queries.ts';
import type { Entry } from './outbox-queries.ts';
import { findReadings } from './reading-queries.ts';

export interface ItemOf {
  readings: ReadingItem;
  events: EventItem;
  commands: CommandItem;
  assets: AssetItem;
}

type Find = { [K in FeedKind]: (ctx: Pick<Context, 'db' | 'settings'>, user: User, entries: readonly Entry[]) => Promise<ItemOf[K][]> };

/** The items of entries that a user may see, as they are stored now. */
export const FIND_ITEMS: Find = {
  readings: (ctx, user, entries) => findReadings(ctx.db, user, entries, ctx.settings.timeZone),
  events: (ctx, user, entries) => findEvents(ctx.db, user, entries),
  commands: (ctx, user, entries) => findCommands(ctx.db, user, entries),
  assets: (ctx, user, entries) => findAssets(ctx.db, user, entries),
};
