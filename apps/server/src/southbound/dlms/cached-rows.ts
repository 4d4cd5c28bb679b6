import type { CachedType } from '@hes/contract/states/plan.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { numberIn, type Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, DATE_TIME_SIZE, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { monthEndFrom, type Zone } from '@hes/contract/schedule/zone.ts';
import { isCapturePeriod } from '#storage/grids.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { channelOf, dailyRegisterOf } from '#storage/channels.ts';
import { isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import type { CachedRows } from '#southbound/dcu-parts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STATUS = /^0\.\d+\.96\.10\.\d+\.255$/;

/** Layout of the cache that a DCU keeps for one profile of its meters. */
interface CacheKind {
  /** Key of the cache object in the southbound profile. */
  key: string;
  /** Range of one request: a few blocks, so that a lost block costs little. */
  msPerRequest: number;
  /** Index of the value of an object; undefined: not stored. */
  valueOf(instance: string): number | undefined;
  values: number;
  /** Storage units per unit of the cache, whose values have a fixed unit and no scaler. */
  parts: number;
}

const intervalCache = (key: string): CacheKind => ({
  key,
  msPerRequest: 6 * HOUR_MS,
  valueOf: channelOf,
  values: CHANNELS.length,
  parts: 1,
});

const FREEZES: CacheKind = {
  key: 'CACHED_DAILY',
  msPerRequest: 7 * DAY_MS,
  valueOf: dailyRegisterOf,
  values: DAILY_REGISTERS.length,
  parts: 10,
};

export const CACHES: Record<CachedType, CacheKind> = {
  daily: FREEZES,
  monthly: FREEZES,
  lpa: intervalCache('CACHED_LPA'),
  lpb: intervalCache('CACHED_LPB'),
  energy: intervalCache('CACHED_ENERGY'),
};

interface CacheColumns {
  /** Objects of the columns with serial number and period. */
  meter: Obis;
  period: Obis | undefined;
}

interface Layout {
  count: number;
  clock: number;
  meter: number;
  period: number;
  status: number;
  /** Value index of each column; -1: none. */
  values: number[];
}

/** Matches columns by object, because their order differs between models. */
function layoutOf(kind: CacheKind, objects: readonly CaptureObject[], { meter, period }: CacheColumns): Layout {
  return {
    count: objects.length,
    clock: objects.findIndex((object) => isAttribute(object, clock, 'time')),
    meter: objects.findIndex((object) => object.instance === meter),
    period: objects.findIndex((object) => object.instance === period),
    status: objects.findIndex((object) => STATUS.test(object.instance)),
    values: objects.map((object) => (object.classId === clock.id ? undefined : kind.valueOf(object.instance)) ?? -1),
  };
}

export interface CacheAnswer {
  profile: CachedType;
  objects: readonly CaptureObject[];
  columns: CacheColumns;
  zone: Zone;
  now: number;
}

/** Adds the rows of a response to those of their meters. Rows without valid time or period are skipped and read from the meter. */
export function addRows(bySn: Map<string, CachedRows>, data: Data, answer: CacheAnswer): Outcome<void> {
  if (data.type === 'null') return ok(undefined);
  const kind = CACHES[answer.profile];
  const layout = layoutOf(kind, answer.objects, answer.columns);
  if (data.type !== 'array' || layout.clock < 0 || layout.meter < 0)
    return failed('TYPE_MISMATCH', 'The cache captures no clock or no serial number');
  for (const row of data.value) {
    if (row.type !== 'structure' || row.value.length !== layout.count)
      return failed('TYPE_MISMATCH', 'A row has another number of columns than the capture list');
    const sn = row.value[layout.meter];
    const at = momentOf(row.value[layout.clock], answer);
    const period = numberIn(row.value[layout.period]);
    if (sn?.type !== 'octetString' || at === null || !isCapture(at, period, answer)) continue;
    const rows = rowsOf(bySn, Buffer.from(sn.value).toString('latin1').toUpperCase(), layout, kind);
    rows.stamps.push(at);
    rows.periods.push(period);
    rows.status.push(numberIn(row.value[layout.status]));
    layout.values.forEach((value, column) => rows.values[value]?.push(numberIn(row.value[column]) * kind.parts));
  }
  return ok(undefined);
}

function rowsOf(bySn: Map<string, CachedRows>, sn: string, layout: Layout, kind: CacheKind): CachedRows {
  let rows = bySn.get(sn);
  if (rows === undefined) {
    const values = Array.from({ length: kind.values }, (_, value) => (layout.values.includes(value) ? [] : undefined));
    bySn.set(sn, (rows = { stamps: [], periods: [], status: [], values }));
  }
  return rows;
}

function momentOf(stamp: Data | undefined, { zone, now }: CacheAnswer): number | null {
  if (stamp?.type !== 'octetString' || stamp.value.length !== DATE_TIME_SIZE) return null;
  return toEpochMs(decode(dateTimeCodec, stamp.value), zone.deviationMinutes(now));
}

/** Freezes must have the time of a midnight, monthly ones of the first day of a month; other rows a period that divides a day. */
function isCapture(at: number, period: number, { profile, zone, now }: CacheAnswer): boolean {
  if (at > now) return false;
  if (profile === 'monthly') return at === monthEndFrom(at, zone);
  return profile === 'daily' ? at === zone.startOf(zone.dayOf(at)) : isCapturePeriod(period);
}
