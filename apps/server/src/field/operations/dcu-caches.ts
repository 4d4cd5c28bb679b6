import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { dataCodec, type Data } from '@hes/dlms/cosem/data.ts';
import { dateTimeCodec, DATE_TIME_SIZE, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { DAILY_REGISTERS, dailyRegisterOf } from '#storage/channels.ts';
import type { DailyRow } from '#storage/staging.ts';
import type { WorkItem } from '#tasks/operation.ts';
import type { MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { placeInProfile } from './dcu-profile.ts';
import type { OperationTools } from './operation-tools.ts';
import { overLink } from './over-link.ts';

const DAY_MS = 86_400_000;
const CLOCK_CLASS = 8;
const REGISTER_CLASS = 3;
/** Freezes come in Wh without a scaler; they are kept in tenths. */
const TENTHS = 10;
/** What fits some blocks, so that little is lost when one is. */
const DAYS_PER_REQUEST = 7;
/** A run takes its meters from one answer for so long; what the DCU reads in the meantime, the next run finds. */
const HELD_MS = 5 * 60_000;
/** A DCU that says it holds nothing is not asked again before. */
const NONE_FOR_MS = 3_600_000;

/** Freezes of one meter as its DCU holds them. */
type CachedFreeze = Pick<DailyRow, 'freezeDay' | 'registers' | 'statusWord' | 'deviceTime'>;

interface Answer {
  traceId: string;
  readAt: number;
  bySn: Map<string, CachedFreeze[]>;
}

interface Held {
  taskId: string;
  from: number;
  until: number;
  answer: Promise<Answer | undefined>;
}

interface Wanted {
  device: MeterDevice;
  from: number;
  to: number;
}

/**
 * Freezes that DCUs have read by themselves: one question brings those of all meters, and each meter's item takes its own.
 * Whether a DCU holds any is said by its profile, and then by itself.
 */
export class DcuCaches {
  readonly #held = new Map<string, Held>();

  /** Freezes of one meter in a range, with the trace of the DCU's answer; undefined: there is nothing to be had. */
  async take(tools: OperationTools, item: WorkItem, wanted: Wanted): Promise<{ rows: DailyRow[]; traceId: string } | undefined> {
    const answer = await this.#answerFor(tools, item, wanted);
    const freezes = answer?.bySn.get(wanted.device.sn);
    if (answer === undefined || freezes === undefined) return undefined;
    // Taken once: a fleet's freezes do not stay in memory for as long as its run.
    answer.bySn.delete(wanted.device.sn);
    const { traceId, readAt } = answer;
    const first = tools.zone.dayOf(wanted.from);
    const rows = freezes
      .filter((freeze) => freeze.freezeDay >= first)
      .map((freeze): DailyRow => ({ ...freeze, meterId: wanted.device.id, dcuId: item.dcuId, readAt, source: 'cache', traceId }));
    return rows.length === 0 ? undefined : { rows, traceId };
  }

  #answerFor(tools: OperationTools, item: WorkItem, { from, to }: Wanted): Promise<Answer | undefined> {
    const now = tools.ctx.clock.now();
    const held = this.#held.get(item.dcuId);
    if (held !== undefined && held.until > now && held.taskId === '') return held.answer;
    if (held !== undefined && held.until > now && held.taskId === item.taskId && held.from <= from) return held.answer;
    for (const [dcuId, { until }] of this.#held) if (until <= now) this.#held.delete(dcuId);
    const fresh: Held = { taskId: item.taskId, from, until: now + HELD_MS, answer: Promise.resolve(undefined) };
    fresh.answer = readCache(tools, item, from, to).then((read) => {
      if (read.ok) return read.value;
      if (read.reason === 'OBJECT_UNDEFINED' || read.reason === 'ACCESS_DENIED')
        Object.assign(fresh, { taskId: '', until: now + NONE_FOR_MS });
      return undefined;
    });
    this.#held.set(item.dcuId, fresh);
    return fresh.answer;
  }
}

async function readCache(tools: OperationTools, item: WorkItem, from: number, to: number): Promise<Outcome<Answer>> {
  const [place, meterColumn] = await Promise.all([
    placeInProfile(tools.ctx.db, item.dcuId, 'CACHED_DAILY'),
    placeInProfile(tools.ctx.db, item.dcuId, 'CACHED_METER'),
  ]);
  if (place === undefined || meterColumn === undefined) return failed('OBJECT_UNDEFINED', 'The profile of this DCU knows no cache');
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return failed('DCU_OFFLINE');
  const bySn = new Map<string, CachedFreeze[]>();
  let answer: Outcome<Answer> = failed('DCU_OFFLINE');
  const report = await overLink(tools, item, { session, device: tools.devices.dcu(session.dcu) }, async ({ link, traceId, now }) => {
    const read = await readParts(
      link,
      { zone: tools.zone, instance: obis(place.obis), meter: obis(meterColumn.obis), from, to, now },
      bySn,
    );
    answer = read.ok ? ok({ traceId, readAt: now, bySn }) : read;
    return read.ok ? ok({}) : read;
  });
  return report.outcome.ok ? answer : report.outcome;
}

interface CacheQuery {
  zone: OperationTools['zone'];
  instance: Obis;
  /** Of the column with the meters' serial numbers. */
  meter: Obis;
  from: number;
  to: number;
  now: number;
}

async function readParts(link: DeviceLink, query: CacheQuery, bySn: Map<string, CachedFreeze[]>): Promise<Outcome<void>> {
  const profile = { classId: profileGeneric.id, instance: query.instance };
  const { captureObjects, buffer } = profileGeneric.attributes;
  const list = await link.get({ ...profile, attributeId: captureObjects.id });
  if (!list.ok) return list;
  for (let from = query.from; from <= query.to; from += DAYS_PER_REQUEST * DAY_MS) {
    const to = Math.min(query.to, from + DAYS_PER_REQUEST * DAY_MS - 1000);
    const deviation = query.zone.deviationMinutes(from);
    const range = rangeSelection({ from: fromEpochMs(from, deviation), to: fromEpochMs(to, deviation) });
    const read = await link.get({ ...profile, attributeId: buffer.id }, range);
    if (!read.ok) return read;
    try {
      const taken = addFreezes(bySn, decode(dataCodec, read.value), decode(captureObjects.codec, list.value), query);
      if (!taken.ok) return taken;
    } catch (error) {
      if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
      throw error;
    }
  }
  return ok(undefined);
}

interface Columns {
  count: number;
  clock: number;
  meter: number;
  status: number;
  /** Register of each column; -1: none. */
  registers: number[];
}

const STATUS = /^0\.\d+\.96\.10\.\d+\.255$/;

/** By object, never by position. */
const columnsOf = (columns: readonly CaptureObject[], meter: Obis): Columns => ({
  count: columns.length,
  clock: columns.findIndex((column) => column.classId === CLOCK_CLASS && column.attributeId === 2),
  meter: columns.findIndex((column) => column.instance === meter),
  status: columns.findIndex((column) => STATUS.test(column.instance)),
  registers: columns.map((column) => (column.classId === REGISTER_CLASS ? (dailyRegisterOf(column.instance) ?? -1) : -1)),
});

/** A row that is not stamped with a midnight of the utility is no freeze, and is left to the meter itself. */
function addFreezes(
  bySn: Map<string, CachedFreeze[]>,
  data: Data,
  objects: readonly CaptureObject[],
  { meter, zone, now }: CacheQuery,
): Outcome<void> {
  if (data.type === 'null') return ok(undefined);
  const columns = columnsOf(objects, meter);
  if (data.type !== 'array' || columns.clock < 0 || columns.meter < 0) return failed('TYPE_MISMATCH', 'The cache has no clock or no meter');
  for (const row of data.value) {
    if (row.type !== 'structure' || row.value.length !== columns.count) return failed('TYPE_MISMATCH', 'A row has another width');
    const sn = row.value[columns.meter];
    const stamp = row.value[columns.clock];
    if (sn?.type !== 'octetString' || stamp?.type !== 'octetString' || stamp.value.length !== DATE_TIME_SIZE) continue;
    const at = toEpochMs(decode(dateTimeCodec, stamp.value), zone.deviationMinutes(now));
    if (at === null || at > now || at !== zone.startOf(zone.dayOf(at))) continue;
    const registers = DAILY_REGISTERS.map(() => Number.NaN);
    columns.registers.forEach((register, column) => {
      if (register >= 0) registers[register] = numberOf(row.value[column]) * TENTHS;
    });
    const word = columns.status < 0 ? Number.NaN : numberOf(row.value[columns.status]);
    const freeze = {
      freezeDay: zone.dayOf(at),
      registers,
      statusWord: Number.isNaN(word) ? undefined : word,
      deviceTime: new Date(at).toISOString(),
    };
    const key = Buffer.from(sn.value).toString('latin1').toUpperCase();
    const known = bySn.get(key);
    if (known === undefined) bySn.set(key, [freeze]);
    else known.push(freeze);
  }
  return ok(undefined);
}

const numberOf = (data: Data | undefined): number =>
  data !== undefined && 'value' in data && (typeof data.value === 'number' || typeof data.value === 'bigint')
    ? Number(data.value)
    : Number.NaN;
