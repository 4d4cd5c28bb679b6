import type { LimitRow } from '@hes/contract/analysis/anomaly.ts';
import { sql } from 'kysely';
import { ratedPowerW } from '#db/rated-power.ts';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';

/** kWh of a supply that draws 1 W for a day of 24 hours. */
const DAY_KWH = 24 / 1000;

/** Limits of a meter, and the energy of a day at its rated power times a factor. */
export async function findLimit(
  db: Db | Tx,
  user: User,
  id: string,
  upperLimitFactor: number,
): Promise<Omit<LimitRow, 'lowerLimitDays'> | undefined> {
  const watts = ratedPowerW({
    current: sql`coalesce(meter.current, t.current)`,
    voltage: sql`coalesce(meter.voltage, t.voltage)`,
    phase: sql`coalesce(meter.phase, t.phase)`,
  });
  const { rows } = await sql<Omit<LimitRow, 'lowerLimitDays'>>`
    select meter.id as "meterId", meter.sn, l.upper_kwh::float8 as "upperKwh", l.lower_kwh::float8 as "lowerKwh", coalesce(l.version, 0) as version,
      (${watts} * meter.ct_ratio * meter.pt_ratio * ${DAY_KWH}::numeric * ${upperLimitFactor}::numeric)::float8 as "plateKwh"
    from meter join meter_type t on t.id = meter.meter_type_id left join meter_limit l on l.meter_id = meter.id
    where meter.id = ${id} and ${visible('meter.transformerId', user)}`.execute(db);
  return rows[0];
}

interface NewLimit {
  meterId: string;
  upperKwh: number | null;
  lowerKwh: number | null;
  /** 0 if the meter had no limits. */
  version: number;
}

/** Stores limits unless they changed since `version`; returns whether it did. Removed limits stay as a row whose time causes another judgement. */
export async function writeLimit(tx: Tx, { meterId, upperKwh, lowerKwh, version }: NewLimit, now: Date): Promise<boolean> {
  const written =
    version === 0
      ? await sql`insert into meter_limit (meter_id, upper_kwh, lower_kwh, changed_at) values (${meterId}, ${upperKwh}, ${lowerKwh}, ${now})
          on conflict do nothing`.execute(tx)
      : await sql`update meter_limit set upper_kwh = ${upperKwh}, lower_kwh = ${lowerKwh}, changed_at = ${now}, version = version + 1
          where meter_id = ${meterId} and version = ${version}`.execute(tx);
  return written.numAffectedRows === 1n;
}

/** Moves the limits of a replaced meter to its successor, and deletes the limits that the successor had at another place. */
export async function passLimits(tx: Tx, oldId: string, newId: string, now: Date): Promise<void> {
  await sql`delete from meter_limit where meter_id = ${newId}`.execute(tx);
  await sql`update meter_limit set meter_id = ${newId}, changed_at = ${now} where meter_id = ${oldId}`.execute(tx);
}

export const deleteLimits = (tx: Tx, meterIds: readonly string[]) =>
  sql`delete from meter_limit where meter_id = any(${[...meterIds]}::bigint[])`.execute(tx);
