import { feed } from '@hes/contract/delivery/feed.ts';
import type { ReadingViews } from '#db/reading-views.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { readFeed } from './service.ts';
import type { FeedWaits } from './waits.ts';

/** Reading a feed of readings is recorded as the reading of a list is. */
export const feedRoutes = (views: ReadingViews, waits: FeedWaits): Implemented[] =>
  implement(feed, {
    readings: async ({ ctx, user, query, wire }) => {
      await views.record(ctx, { user, ip: wire.ip }, { filter: { feed: 'readings' } });
      return readFeed(ctx, user, waits, { kind: 'readings', query });
    },
    events: ({ ctx, user, query }) => readFeed(ctx, user, waits, { kind: 'events', query }),
    commands: ({ ctx, user, query }) => readFeed(ctx, user, waits, { kind: 'commands', query }),
    assets: ({ ctx, user, query }) => readFeed(ctx, user, waits, { kind: 'assets', query }),
  });
