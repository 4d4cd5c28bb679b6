import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OUT_OF_RANGE_BIT } from '@hes/contract/states/reading.ts';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { dayText } from '@hes/contract/schedule/zone.ts';
import { CopyWriter } from './copy-binary.ts';
import { keyOf, type DayRow, type Source } from './day-rows.ts';
import type { Grid } from './grids.ts';
import type { LatestBatch } from './latest.ts';
import { COPY_DAILY, DAILY_COLUMNS, FIND_DAYS, MERGE_LATEST, PROFILE_COLUMNS, REGRID_DAYS } from './queries.ts';

/** A daily freeze: registers in tenths of a watt-hour, NaN for null, in the order of DAILY_REGISTERS. */
export interface DailyRow {
  meterId: string;
  dcuId: string;
  /** Days since 1970-01-01, in the utility's calendar. */
  freezeDay: number;
  registers: number[];
  statusWord: number | undefined;
  /** Stamp of the meter, as received. */
  deviceTime: string | undefined;
  readAt: number;
  source: Source;
  traceId: string | undefined;
  /** The task that read it; undefined for an unsolicited push. */
  taskId?: string | undefined;
}

/** Column limit of the table: below 10^10 kWh. */
const REGISTER_LIMIT_TENTH_WH = 10 ** 14;
const isOutOfRange = (register: number): boolean => Math.abs(register) >= REGISTER_LIMIT_TENTH_WH;

/** Replaces registers beyond the column limit by null and sets the out-of-range bit of the status word. */
export function withoutOutOfRange(row: DailyRow): DailyRow {
  if (!row.registers.some(isOutOfRange)) return row;
  const registers = row.registers.map((register) => (isOutOfRange(register) ? Number.NaN : register));
  return { ...row, registers, statusWord: ((row.statusWord ?? 0) | OUT_OF_RANGE_BIT) >>> 0 };
}

/** Merges a later response with the same freeze over an earlier one of the batch; its nulls do not replace values. */
export function mergeFreezes(old: DailyRow | undefined, fresh: DailyRow): DailyRow {
  if (old === undefined) return fresh;
  const registers = fresh.registers.map((register, index) => (Number.isNaN(register) ? (old.registers[index] ?? register) : register));
  return { ...fresh, registers, statusWord: fresh.statusWord ?? old.statusWord };
}

/** Sends encoded rows to a COPY statement. */
export async function copyInto(client: PoolClient, statement: string, octets: Buffer): Promise<void> {
  await pipeline(Readable.from([octets], { objectMode: false, highWaterMark: octets.length }), client.query(copyFrom(statement)));
}

/** Encodes day rows in the binary COPY format; the result is valid until the next use of `out`. */
export function profileOctets(rows: Iterable<DayRow>, out = new CopyWriter()): Buffer {
  out.restart();
  for (const row of rows) {
    out.row(PROFILE_COLUMNS);
    out.int8(row.meterId);
    out.text(row.profile);
    out.date(row.day);
    out.int4(row.periodSeconds);
    out.int4(row.leadSeconds);
    out.int4(row.present);
    out.int4Array(row.status);
    for (let c = 0; c < CHANNELS.length; c++) {
      if (CHANNELS[c]?.type === 'int8') out.int8Array(row.channels[c]);
      else out.int4Array(row.channels[c]);
    }
    out.timestamp(row.readAt);
    out.text(row.source);
    out.uuid(row.traceId);
  }
  return out.finish();
}

/** Keys of rows as the parameters of `FIND_DAYS` and `MERGE_PROFILE`. */
export const keysOf = (rows: readonly DayRow[]): string[] => [
  pgArrayLiteral(rows.map((row) => row.meterId)),
  pgArrayLiteral(rows.map((row) => row.profile)),
  pgArrayLiteral(rows.map((row) => row.day)),
];

/** Grids of the rows that are stored already, keyed by `keyOf`. */
export async function findDays(client: PoolClient, rows: readonly DayRow[]): Promise<Map<string, Grid>> {
  const found = await client.query<{ meter_id: string; profile: string; day: number; period_s: number; lead_s: number }>({
    name: 'find_days',
    text: FIND_DAYS,
    values: keysOf(rows),
  });
  return new Map(
    found.rows.map((row) => [
      keyOf({ meterId: row.meter_id, profile: row.profile, day: row.day }),
      { periodSeconds: row.period_s, leadSeconds: row.lead_s },
    ]),
  );
}

/** Moves the stored rows to the grids of the given rows. */
export async function regridStored(client: PoolClient, rows: readonly DayRow[]): Promise<void> {
  if (rows.length === 0) return;
  const column = <K extends keyof DayRow>(key: K) => rows.map((row) => row[key]);
  await client.query(REGRID_DAYS, [column('meterId'), column('profile'), column('day'), column('periodSeconds'), column('leadSeconds')]);
}

export async function copyDaily(client: PoolClient, rows: Iterable<DailyRow>): Promise<void> {
  const out = new CopyWriter();
  for (const row of rows) {
    out.row(DAILY_COLUMNS);
    out.int8(row.meterId);
    out.int8(row.dcuId);
    out.date(row.freezeDay);
    out.timestamp(row.readAt);
    out.text(row.source);
    for (let r = 0; r < DAILY_REGISTERS.length; r++) {
      const value = row.registers[r];
      out.int8(value ?? Number.NaN);
    }
    out.int8(row.statusWord ?? Number.NaN);
    if (row.deviceTime === undefined) out.null();
    else out.text(row.deviceTime);
    out.uuid(row.traceId);
  }
  await copyInto(client, COPY_DAILY, out.finish());
}

/** Merges the newest values of a batch into `meter_latest`. */
export async function mergeLatest(client: PoolClient, batch: LatestBatch): Promise<void> {
  const entries = [...batch.meters];
  if (entries.length === 0) return;
  const kwh = (tenths: number | undefined) => (tenths === undefined ? null : tenths / 10_000);
  await client.query({
    name: 'merge_latest',
    text: MERGE_LATEST,
    values: [
      pgArrayLiteral(entries.map(([meterId]) => meterId)),
      pgArrayLiteral(entries.map(([, latest]) => (latest.freezeDay === undefined ? null : dayText(latest.freezeDay)))),
      pgArrayLiteral(entries.map(([, latest]) => kwh(latest.ePlusTenthWh))),
      pgArrayLiteral(entries.map(([, latest]) => kwh(latest.eMinusTenthWh))),
      pgArrayLiteral(entries.map(([, latest]) => (latest.lpaStamp === undefined ? null : new Date(latest.lpaStamp).toISOString()))),
      pgArrayLiteral(entries.map(([, latest]) => latest.pAvgPlusW ?? null)),
      pgArrayLiteral(entries.map(([, latest]) => latest.u1Mv ?? null)),
      entries.map(([, latest]) => JSON.stringify(latest.values)),
    ],
  });
}
