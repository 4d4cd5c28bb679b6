import { ASSET_KINDS, type FeedKind } from '@hes/contract/delivery/feed.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { User } from '#db/context.ts';
import { holderOf, seesWholeNetwork } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import { ASSET_PAGES } from '../feed/item-queries.ts';

/** Pages whose right to view permits to read a feed. Outcomes of orders need no page: a user of the whole network sees all of them. */
const PAGES_OF: Record<FeedKind, readonly string[]> = {
  readings: [PAGE_PATH.readings],
  events: [PAGE_PATH.events],
  commands: [],
  assets: ASSET_KINDS.map((kind) => ASSET_PAGES[kind]),
};

/** A sender is chosen for the whole network, whatever the area of the user. */
export function requireWholeNetwork(user: User): void {
  if (!seesWholeNetwork(user)) throw new ApiError('WHOLE_NETWORK_ONLY');
}

/** Refuses contents that the user could not read in the feeds themselves, for the whole network. */
export function requireContents(user: User, contents: readonly FeedKind[]): void {
  for (const page of contents.flatMap((kind) => PAGES_OF[kind])) {
    const holder = holderOf(user, page, 'view');
    if (holder === undefined) throw new ApiError('FORBIDDEN', {}, 'contents');
    requireWholeNetwork(holder);
  }
}
