import type { EventItem, FeedKind, ReadingItem } from '@hes/contract/delivery/feed.ts';
import type { CloudEvent } from '../../cloud-events.ts';
import { DeliveryFailed } from '../kind.ts';
import { readingTypeOf } from './reading-types.ts';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML 1.0 cannot hold, which a device may have sent. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const escape = (text: string): string => text.replaceAll(FORBIDDEN, '\uFFFD').replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);

const element = (name: string, content: string | null): string => (content === null ? '' : `<${name}>${escape(content)}</${name}>`);
const named = (name: string, text: string): string =>
  `<${name}>${element('mRID', text)}<Names>${element('name', text)}<NameType><name>SerialNumber</name></NameType></Names></${name}>`;

/** Qualities of IEC 61968-9, annex D, of values that are not as the meter gave them at once: questionable, estimated, manually entered. */
const QUALITIES: Partial<Record<ReadingItem['slots'][number]['quality'], string>> = {
  invalid: '1.10.0',
  estimated: '2.8.0',
  manual: '2.7.0',
};

function readingOf({ profile, readAt, source }: ReadingItem, slot: ReadingItem['slots'][number]): string {
  const { ts, quality, values } = slot;
  const ref = QUALITIES[quality];
  const qualities = ref === undefined ? '' : `<ReadingQualities><ReadingQualityType ref="${ref}"/></ReadingQualities>`;
  return Object.entries(values)
    .map(([quantity, value]) => {
      const head = `${element('reportedDateTime', readAt)}${element('source', source)}${element('timeStamp', ts)}`;
      return `<Readings>${head}${element('value', String(value))}${qualities}<ReadingType ref="${readingTypeOf(profile, quantity)}"/></Readings>`;
    })
    .join('');
}

const meterReadingOf = (item: ReadingItem): string =>
  `<MeterReading>${named('Meter', item.meterSn)}${item.slots.map((slot) => readingOf(item, slot)).join('')}</MeterReading>\n`;

/** Details that tell the event as the device recorded it: the codes of devices have no general mapping to those of annex E. */
const detailsOf = ({ log, code, direction, message, raw, source }: EventItem): string =>
  Object.entries({ log, code: String(code), direction, message, raw, source })
    .map(([name, value]) => `<EndDeviceEventDetails>${element('name', name)}${element('value', value)}</EndDeviceEventDetails>`)
    .join('');

function endDeviceEventOf(item: EventItem): string {
  const { eventId, occurAt, nameEn, abnormalLevel } = item;
  const head = `${element('mRID', eventId)}${element('createdDateTime', occurAt)}${element('reason', nameEn)}${element('severity', String(abnormalLevel))}`;
  const device = named('Assets', item.meterSn ?? item.dcuSn ?? '');
  return `<EndDeviceEvent>${head}${device}${detailsOf(item)}<EndDeviceEventType ref="0.0.0.0"/></EndDeviceEvent>\n`;
}

const documentOf = (name: string, parts: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://iec.ch/TC57/2011/${name}#">\n${parts.join('')}</${name}>\n`;

/** Items as a message of IEC 61968-9: MeterReadings or EndDeviceEvents, by the schemas of 2011. */
export function cimOf(kind: FeedKind, events: readonly CloudEvent[]): string {
  // as: a batch has items of its kind
  if (kind === 'readings')
    return documentOf(
      'MeterReadings',
      events.map(({ data }) => meterReadingOf(data as ReadingItem)),
    );
  if (kind === 'events')
    return documentOf(
      'EndDeviceEvents',
      events.map(({ data }) => endDeviceEventOf(data as EventItem)),
    );
  throw new DeliveryFailed('internal', `CIM has no message for ${kind}`);
}
