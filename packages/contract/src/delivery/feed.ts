import { z } from 'zod';
import { assetFeedExample, commandFeedExample, eventFeedExample, readingFeedExample } from './feed-examples.ts';
import { day, id, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { channelFields, readingQuality, readingSource, registerFields, storedProfile } from '../reading/reading.ts';
import { eventDevice, eventDirection, eventLog, eventSource } from '../states/event.ts';
import { storedLevel } from '../event/event.ts';
import { taskItemState } from '../task/task.ts';

/** Kinds of what leaves the head-end. Each has a feed, and senders choose among them. */
export const FEED_KINDS = ['readings', 'events', 'commands', 'assets'] as const;
export const feedKind = z.enum(FEED_KINDS);
export type FeedKind = z.infer<typeof feedKind>;

const MAX_ITEMS = 500;
const MAX_WAIT_S = 30;

/** What every item has. Its id stays the same when the item is sent again. */
const announced = {
  id: z.string(),
  /** Time at which the head-end began to store it. */
  at: instant,
};

/** One slot of a profile, or one daily freeze. */
const readingSlot = z.object({
  /** Beginning of the slot; of a freeze, the midnight in the time zone of the utility. */
  ts: instant,
  quality: readingQuality,
  statusWord: z.number().int().nullable(),
  /** Captured quantities by name; `units` has their units. */
  values: z.object({ ...registerFields, ...channelFields }).partial(),
});

/** Readings of one meter, profile and day that were stored together. */
export const readingItem = z.object({
  ...announced,
  /** Of two items with the same slot, the one with the larger revision holds. */
  revision: id,
  meterId: id,
  meterSn: z.string(),
  profile: storedProfile,
  /** UTC day of a profile, or day of a freeze. */
  day,
  source: readingSource,
  readAt: instant,
  traceId: z.string().nullable(),
  slots: z.array(readingSlot),
});
export type ReadingItem = z.infer<typeof readingItem>;

/** An event of a device, or of the head-end. */
export const eventItem = z.object({
  ...announced,
  eventId: id,
  deviceKind: eventDevice,
  meterId: id.nullable(),
  meterSn: z.string().nullable(),
  dcuId: id.nullable(),
  dcuSn: z.string().nullable(),
  log: eventLog,
  code: z.number().int(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  occurAt: instant,
  receivedAt: instant,
  direction: eventDirection,
  abnormalLevel: storedLevel,
  message: z.string(),
  /** Octets of the row in hex. */
  raw: z.string(),
  source: eventSource,
  traceId: z.string().nullable(),
});
export type EventItem = z.infer<typeof eventItem>;

/** The end of an order of a user or program for one device. An unknown outcome is sent again when the device was read back. */
export const commandItem = z.object({
  ...announced,
  /** Of two items with the same `itemId`, the one with the larger revision holds. */
  revision: id,
  itemId: id,
  taskId: id,
  kind: z.string(),
  orderedById: id.nullable(),
  deviceKind: z.enum(['dcu', 'meter']),
  dcuSn: z.string().nullable(),
  meterId: id.nullable(),
  meterSn: z.string().nullable(),
  state: taskItemState,
  reasonCode: z.string().nullable(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  /** As in the item of the task. */
  result: z.unknown(),
  traceId: z.string().nullable(),
});
export type CommandItem = z.infer<typeof commandItem>;

export const ASSET_KINDS = ['meter', 'dcu', 'transformer', 'level'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

/** An object of the master data that was added, changed or removed, as it is now. */
export const assetItem = z.object({
  ...announced,
  revision: id,
  kind: z.enum(ASSET_KINDS),
  assetId: id,
  /** The object no longer exists, which only programs of the whole network learn, or a device was moved out of the area of the program. */
  isRemoved: z.boolean(),
  /** Serial number of a device, code of a transformer or level. */
  number: z.string().nullable(),
  name: z.string().nullable(),
  /** Number of the object above it: the transformer of a device, the level of a transformer. */
  parentNumber: z.string().nullable(),
  dcuSn: z.string().nullable(),
  inventoryState: z.string().nullable(),
  customerNo: z.string().nullable(),
  address: z.string().nullable(),
  /** Code of the type of a meter or DCU. */
  typeCode: z.string().nullable(),
  /** Ratios of the transformers in front of a meter, or of a transformer's own metering. */
  ctRatio: z.number().nullable(),
  ptRatio: z.number().nullable(),
  /** WGS 84, in degrees; of meters and transformers. */
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
  /** Whether a meter is at a generator. */
  isGenerator: z.boolean().nullable(),
  /** Of a transformer, in kVA. */
  capacityKva: z.number().nullable(),
});
export type AssetItem = z.infer<typeof assetItem>;

const feedQuery = z.object({
  /** Cursor of the last answer. Absent: begins with what is stored from now on, or from `since`. */
  after: z.string().max(4096).optional(),
  since: instant.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_ITEMS).default(100),
  /** Seconds to wait for the first item. */
  wait: z.coerce.number().int().min(0).max(MAX_WAIT_S).default(0),
});
export type FeedQuery = z.output<typeof feedQuery>;

const pageOfFeed = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    /** Cursor for the next call. */
    next: z.string(),
    /** More can be fetched at once. An answer may be empty and have more behind it: other areas are skipped. */
    hasMore: z.boolean(),
  });

const feedOf = { method: 'GET', query: feedQuery, errors: ['VALIDATION', 'FEED_GONE', 'OUTBOX_BUSY'] } as const;
const HOW =
  'Begin without a cursor, keep next together with what you stored, and pass it as after in the next call. With wait, the call waits for the first item.';

/** Everything that was stored, in the order of its commits, for programs that fetch it. */
export const feed = {
  readings: route({
    ...feedOf,
    path: '/feed/readings',
    summary: 'Readings as they are stored, each once',
    allow: { page: PAGE_PATH.readings, action: 'view' },
    v1: {
      description: `Returns readings as they are stored, corrections included. ${HOW} An item has the present values of its slots.`,
      example: readingFeedExample,
    },
    response: pageOfFeed(readingItem),
  }),
  events: route({
    ...feedOf,
    path: '/feed/events',
    summary: 'Events as they are stored, each once',
    allow: { page: PAGE_PATH.events, action: 'view' },
    v1: { description: `Returns events as they are stored. ${HOW}`, example: eventFeedExample },
    response: pageOfFeed(eventItem),
  }),
  commands: route({
    ...feedOf,
    path: '/feed/commands',
    summary: 'Outcomes of orders as they are known, each once',
    allow: 'signed-in',
    v1: {
      description: `Returns the end of each order of a user or program for each device, and again when an unknown outcome is known: of the account's own orders, or of all orders if its area is the whole network. ${HOW} Work of plans and of the head-end itself is not in it.`,
      example: commandFeedExample,
    },
    response: pageOfFeed(commandItem),
  }),
  assets: route({
    ...feedOf,
    path: '/feed/assets',
    summary: 'Changes of meters, DCUs, transformers and levels',
    allow: { page: PAGE_PATH.meterAssets, action: 'view' },
    v1: {
      description: `Returns meters, DCUs, transformers and levels that were added, changed or removed, as they are now. ${HOW} Kinds that the account may not view are left out.`,
      example: assetFeedExample,
    },
    response: pageOfFeed(assetItem),
  }),
};
