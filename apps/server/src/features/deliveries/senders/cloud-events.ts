import { unitsOf } from '@hes/contract/core/measured.ts';
import { readingItem, type FeedKind } from '@hes/contract/delivery/feed.ts';
import type { ItemOf } from '../feed/items.ts';

/** Media type of one event: CloudEvents 1.0, JSON Event Format 3. */
export const EVENT_TYPE = 'application/cloudevents+json; charset=utf-8';
/** Media type of a batch: CloudEvents 1.0, JSON Event Format 4. */
export const BATCH_TYPE = 'application/cloudevents-batch+json; charset=utf-8';

const TYPES: Record<FeedKind, string> = {
  readings: 'org.hes.readings.stored',
  events: 'org.hes.event.stored',
  commands: 'org.hes.command.ended',
  assets: 'org.hes.asset.changed',
};
const UNITS = unitsOf(readingItem);

export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  time: string;
  subject?: string;
  datacontenttype: 'application/json';
  data: ItemOf[FeedKind] | (ItemOf['readings'] & { units: typeof UNITS }) | Record<string, never>;
}

const subjectOf = (item: ItemOf[FeedKind]): string | undefined => {
  if ('number' in item) return item.number ?? undefined;
  return item.meterSn ?? ('dcuSn' in item ? (item.dcuSn ?? undefined) : undefined);
};

/** An item of a feed as event. Source and id together name it in all attempts and replays. */
export function cloudEventOf(kind: FeedKind, item: ItemOf[FeedKind]): CloudEvent {
  const subject = subjectOf(item);
  return {
    specversion: '1.0',
    id: item.id,
    source: `/api/v1/feed/${kind}`,
    type: TYPES[kind],
    time: item.at,
    ...(subject === undefined ? {} : { subject }),
    datacontenttype: 'application/json',
    data: kind === 'readings' ? { ...item, units: UNITS } : item,
  };
}

/** A message without meaning, for the test button. */
export const testEvent = (now: number): CloudEvent => ({
  specversion: '1.0',
  id: `test-${now}`,
  source: '/api/v1/feed',
  type: 'org.hes.test',
  time: new Date(now).toISOString(),
  datacontenttype: 'application/json',
  data: {},
});
