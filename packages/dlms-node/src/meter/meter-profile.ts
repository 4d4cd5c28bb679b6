import { decode } from '@hes/dlms/codec/codec.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { extendedRegister } from '@hes/dlms/cosem/classes/extended-register.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { expandRows } from '@hes/dlms/cosem/profile-rows.ts';
import { scalerUnit, type ScalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { entrySelection, rangeSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import { UNIT_NONE, unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { attributeRef, isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import type { AttributeDescriptor } from '@hes/dlms/xdlms/descriptors.ts';
import { denied, MeterError } from './meter-error.ts';
import { MeterObject, type ObjectHost } from './meter-object.ts';
import { momentIn, scaledValue, type PlainValue } from './plain-value.ts';

/** Which rows to read; without any member the whole buffer. */
export interface ProfileQuery {
  /** Inclusive. */
  from?: Date | undefined;
  /** Inclusive; by default all rows since `from`. */
  to?: Date | undefined;
  /** Numbers of the first and the last row; 1 is the first, a last of 0 is the last of the buffer. */
  entries?: readonly [first: number, last: number] | undefined;
}

/** One column, as the meter declares it. */
export interface ProfileColumn {
  /** Logical name of the captured object. */
  name: Obis;
  classId: number;
  attributeId: number;
  /** Symbol of the unit; empty without one. */
  unit: string;
  scaler: number;
}

export interface ProfileRow {
  /** Time of the capture; undefined without a clock in the profile, or with an invalid one. */
  at: Date | undefined;
  /** Clock status octet, see `CLOCK_STATUS`; undefined like `at`. */
  clockStatus: number | undefined;
  /** One value per column of the profile, the clock included, scaled. */
  values: PlainValue[];
}

export interface MeterProfile {
  columns: readonly ProfileColumn[];
  capturePeriodSeconds: number;
  rows: ProfileRow[];
}

/** Columns of a profile, which are read once. */
export interface ProfileLayout {
  columns: readonly ProfileColumn[];
  captured: readonly CaptureObject[];
  clockColumn: number;
  capturePeriodSeconds: number;
}

const YEAR_2000 = new Date(Date.UTC(2000, 0, 1));
const DAY_MS = 86_400_000;

/** The attribute with the scaler of a captured attribute. */
function scalerOf({ classId, instance, attributeId, dataIndex }: CaptureObject): AttributeDescriptor | undefined {
  const column = { classId, attributeId };
  if (dataIndex !== 0) return undefined;
  if (isAttribute(column, register, 'value')) return attributeRef({ cosemClass: register, instance }, 'scalerUnit');
  if (isAttribute(column, extendedRegister, 'value')) return attributeRef({ cosemClass: extendedRegister, instance }, 'scalerUnit');
  const isDemand = isAttribute(column, demandRegister, 'currentAverageValue') || isAttribute(column, demandRegister, 'lastAverageValue');
  return isDemand ? attributeRef({ cosemClass: demandRegister, instance }, 'scalerUnit') : undefined;
}

/** Reads scalers and units in as few requests as possible. A scaler that this client may not read counts as 0 without unit. */
async function readScalers(host: ObjectHost, captured: readonly CaptureObject[]): Promise<(ScalerUnit | undefined)[]> {
  const refs = captured.map(scalerOf);
  const asked = refs.filter((ref) => ref !== undefined);
  const answers = await host.run(host.association.getList(asked));
  return refs.map((ref) => {
    const answer = ref && answers[asked.indexOf(ref)];
    return answer?.ok === true ? decode(scalerUnit, answer.data) : undefined;
  });
}

/** Reads the columns of a profile with their scalers and units. */
export async function readLayout(host: ObjectHost, instance: Obis): Promise<ProfileLayout> {
  const profile = new MeterObject(host, { cosemClass: profileGeneric, instance });
  const { captureObjects: captured, capturePeriod } = await profile.getAll('captureObjects', 'capturePeriod');
  const scalers = await readScalers(host, captured);
  return {
    columns: captured.map(({ instance: name, classId, attributeId }, index) => {
      const { scaler, unit } = scalers[index] ?? { scaler: 0, unit: UNIT_NONE };
      return { name, classId, attributeId, unit: unitSymbol(unit), scaler };
    }),
    captured,
    clockColumn: captured.findIndex((column) => isAttribute(column, clock, 'time')),
    capturePeriodSeconds: capturePeriod,
  };
}

function selectionOf(
  { from, to, entries }: ProfileQuery,
  { captured, clockColumn }: ProfileLayout,
  deviationMinutes: number,
): Selection | undefined {
  if (entries !== undefined) {
    if (from !== undefined || to !== undefined) throw new MeterError('USAGE', 'entries and a range of time');
    return entrySelection({ fromEntry: entries[0], toEntry: entries[1] });
  }
  if (from === undefined && to === undefined) return undefined;
  const restricting = captured[clockColumn];
  if (restricting === undefined) throw new MeterError('USAGE', 'a range of time of a profile without a clock: read entries');
  // The clock of the meter may be ahead of ours.
  const last = to ?? new Date(Date.now() + DAY_MS);
  const local = (date: Date) => fromEpochMs(date.getTime(), deviationMinutes);
  return rangeSelection({ restricting, from: local(from ?? YEAR_2000), to: local(last) });
}

/** Reads rows of a profile. `deviationMinutes` is that of the clock of the meter. */
export async function readRows(
  host: ObjectHost,
  layout: ProfileLayout,
  query: ProfileQuery & { instance: Obis; deviationMinutes: number },
): Promise<MeterProfile> {
  const { instance, deviationMinutes } = query;
  const ref = attributeRef({ cosemClass: profileGeneric, instance }, 'buffer');
  const answer = await host.run(host.association.get(ref, selectionOf(query, layout, deviationMinutes)));
  if (!answer.ok) throw denied(`Profile generic ${instance} buffer`, answer.result);
  const rows = expandRows(rowsIn(decode(dataCodec, answer.data), layout), layout);
  const { columns, capturePeriodSeconds } = layout;
  return { columns, capturePeriodSeconds, rows: rows.map(({ values }) => rowOf(values, layout, deviationMinutes)) };
}

function rowsIn(buffer: Data, { captured }: ProfileLayout): Data[][] {
  // Some meters return null-data for an empty range.
  if (buffer.type === 'null') return [];
  if (buffer.type !== 'array' && buffer.type !== 'compactArray')
    throw new MeterError('BAD_ANSWER', `the buffer is not an array but ${buffer.type}`);
  return buffer.value.map((row) => {
    if (row.type !== 'structure') throw new MeterError('BAD_ANSWER', `a row is not a structure but ${row.type}`);
    if (row.value.length !== captured.length)
      throw new MeterError('BAD_ANSWER', `a row has ${row.value.length} values for ${captured.length} columns`);
    return row.value;
  });
}

function rowOf(cells: readonly Data[], { columns, clockColumn }: ProfileLayout, deviationMinutes: number): ProfileRow {
  const moment = cells[clockColumn];
  const octets = moment?.type === 'octetString' || moment?.type === 'dateTime' ? moment.value : undefined;
  const at = octets && momentIn(octets, deviationMinutes);
  return {
    at,
    clockStatus: at && octets && (decode(dateTimeCodec, octets).status ?? undefined),
    values: cells.map((cell, column) => scaledValue(cell, columns[column]?.scaler ?? 0, deviationMinutes)),
  };
}
