import type { Pool } from 'pg';
import { CHANNELS } from '../../apps/server/src/storage/channels.ts';
import type { History, IntervalProfile } from './history.ts';

const ROWS_AT_A_TIME = 500;
const COLUMNS = CHANNELS.map(({ column }) => column);
const REGISTERS = ['e_plus', 'e_minus', ...['e_plus', 'e_minus'].flatMap((name) => [1, 2, 3, 4].map((tariff) => `${name}_t${tariff}`))];

interface StoredRow {
  sn: string;
  dcu: string;
  profile: IntervalProfile;
  day: string;
  periodS: number;
  status: (number | null)[];
  [column: string]: unknown;
}

const numbers = (values: unknown): (number | null)[] | null =>
  // int8 travels as text.
  Array.isArray(values) ? values.map((value) => (value === null ? null : Number(value))) : null;

/** Writes down everything the product holds that a judge can compare with the truth. */
export async function dump(pool: Pool, tell: History): Promise<void> {
  tell({ t: 'end', at: Date.now() });
  await dumpProfiles(pool, tell);
  const daily = await pool.query<{ sn: string; dcu: string; day: string; [column: string]: string | null }>(
    `select m.sn, d.sn as dcu, r.freeze_date::text as day, ${REGISTERS.map((name) => `r.${name}::text`).join(', ')}
     from reading_daily r join meter m on m.id = r.meter_id join dcu d on d.id = m.dcu_id`,
  );
  for (const { sn, dcu, day, ...values } of daily.rows) tell({ t: 'daily', sn, dcu, day, values });
  const counted = await pool.query<{ dcu: string; profile: IntervalProfile | 'daily'; got: number }>(
    `select d.sn as dcu, a.profile, sum((select sum(n) from unnest(a.got) as n))::int as got
     from arrival_day a join dcu d on d.id = a.dcu_id group by d.sn, a.profile`,
  );
  for (const row of counted.rows) tell({ t: 'counted', ...row });
  const commands = await pool.query<{ id: string; sn: string; operation: string; state: string; isSent: boolean }>(
    `select c.id, m.sn, c.operation, c.state, exists (select from relay_sent s where s.command_id = c.id) as "isSent"
     from relay_command c join meter m on m.id = c.meter_id order by c.id`,
  );
  for (const row of commands.rows) tell({ t: 'command', ...row });
}

async function dumpProfiles(pool: Pool, tell: History): Promise<void> {
  let after: [string, string, string] = ['0', '', '1970-01-01'];
  for (;;) {
    const found = await pool.query<StoredRow & { id: string }>(
      `select m.id, m.sn, d.sn as dcu, r.profile, r.day::text as day, r.period_s as "periodS", r.status, ${COLUMNS.map((name) => `r.${name}`).join(', ')}
       from reading_profile r join meter m on m.id = r.meter_id join dcu d on d.id = m.dcu_id
       where (r.meter_id, r.profile, r.day) > ($1::bigint, $2, $3::date) order by r.meter_id, r.profile, r.day limit ${ROWS_AT_A_TIME}`,
      after,
    );
    for (const row of found.rows) {
      const { sn, dcu, profile, day, periodS, status } = row;
      tell({
        t: 'row',
        sn,
        dcu,
        profile,
        day,
        periodS,
        status,
        columns: Object.fromEntries(COLUMNS.map((name) => [name, numbers(row[name])])),
      });
    }
    const last = found.rows.at(-1);
    if (last === undefined) return;
    after = [last.id, last.profile, last.day];
  }
}

/** What is in the database now, and what collection claims to have: a crash a moment later must take none of it. */
export async function noteCommitted(pool: Pool, tell: History): Promise<void> {
  const rows = await pool.query<{ sn: string; profile: IntervalProfile; day: string; present: number }>(
    `select m.sn, r.profile, r.day::text as day, r.present from reading_profile r join meter m on m.id = r.meter_id where r.read_at > now() - interval '1 minute'`,
  );
  for (const row of rows.rows) tell({ t: 'seen', ...row });
}

/** Collection's own marks: everything in its look-back, up to there, was stored. */
export async function noteMarks(pool: Pool, tell: History, from: number): Promise<void> {
  const marks = await pool.query<{ sn: string; profile: IntervalProfile; through: string }>(
    `select m.sn, substr(k.key, 9) as profile, k.value::text as through from device_memory k join meter m on m.id = k.device_id
     where k.device_kind = 'meter' and k.key in ('through:lpa', 'through:lpb', 'through:energy')`,
  );
  for (const { sn, profile, through } of marks.rows) tell({ t: 'mark', sn, profile, from, through: Number(through) });
}
