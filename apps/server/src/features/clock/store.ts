import { SETTINGS, type SettingValues } from '@hes/contract/setting/settings.ts';
import type { ClockMethod } from '@hes/contract/states/clock.ts';
import type { Pool } from 'pg';
import type { ClockReading } from './read-clock.ts';

export type ClockLimits = Pick<SettingValues['thresholds'], 'clockFineS' | 'clockAdjustS' | 'clockSetS'>;

/** A stored setting that no longer matches the schema is ignored. */
export async function findClockLimits(pool: Pool): Promise<ClockLimits> {
  const found = await pool.query<{ value: unknown }>("select value from setting where key = 'thresholds'");
  const parsed = SETTINGS.thresholds.schema.safeParse(found.rows[0]?.value);
  return parsed.success ? parsed.data : SETTINGS.thresholds.value;
}

export interface StoredClock {
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  reading: ClockReading;
  /** Null for a reading without correction. */
  method: ClockMethod | null;
  traceId: string;
}

/** Stores the latest reading of a clock. */
export async function storeClock(pool: Pool, { deviceKind, deviceId, reading, method, traceId }: StoredClock): Promise<void> {
  const { deviceTime, deviationMs, roundTripMs, readAt, zoneMinutes, status, clockBase, hasDaylightSaving } = reading;
  await pool.query(
    `insert into device_clock (device_kind, device_id, device_time, read_at, deviation_ms, round_trip_ms, zone_minutes, status, clock_base,
       has_daylight_saving, last_sync_at, last_sync_method, trace_id)
     values ($1, $2, $3, $4::timestamptz, $5, $6, $7, $8, $9, $10, case when $11::text is null then null else $4::timestamptz end, $11, $12)
     on conflict (device_kind, device_id) do update set device_time = excluded.device_time, read_at = excluded.read_at,
       deviation_ms = excluded.deviation_ms, round_trip_ms = excluded.round_trip_ms, zone_minutes = excluded.zone_minutes, status = excluded.status,
       clock_base = excluded.clock_base, has_daylight_saving = excluded.has_daylight_saving, trace_id = excluded.trace_id,
       last_sync_at = coalesce(excluded.last_sync_at, device_clock.last_sync_at),
       last_sync_method = coalesce(excluded.last_sync_method, device_clock.last_sync_method)`,
    [
      deviceKind,
      deviceId,
      deviceTime,
      new Date(readAt),
      deviationMs,
      roundTripMs,
      zoneMinutes,
      status,
      clockBase,
      hasDaylightSaving,
      method,
      traceId,
    ],
  );
  if (deviceKind === 'dcu' && deviationMs !== null)
    await pool.query('update dcu set clock_deviation_s = $2 where id = $1', [deviceId, Math.round(deviationMs / 1000)]);
}
