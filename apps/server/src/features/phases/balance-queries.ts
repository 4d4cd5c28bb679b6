import type { BalanceSlot, PhaseBalance, PhaseShare } from '@hes/contract/analysis/phase.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { SURE, type UnbalanceClass } from '@hes/contract/states/phase.ts';
import type { SinglePhase } from '@hes/contract/states/phase.ts';
import { sql } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { dayNumberOf, dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { iso } from '#db/paging.ts';
import { findSetting } from '#db/settings.ts';
import { checkRange, localDay } from '#features/readings/port.ts';
import type { Context, Db, User } from '#db/context.ts';
import { findPlace } from './queries.ts';

interface Range {
  from: string;
  to: string;
}

/** Nominal voltage if the rating contains none of `NOMINALS_V`. */
const NOMINAL_V = 230;
const NOMINALS_V = [57.7, 127, 220, 230, 240];

async function findThresholds(db: Db) {
  const parsed = SETTINGS.thresholds.schema.safeParse(await findSetting(db, 'thresholds'));
  return parsed.success ? parsed.data : SETTINGS.thresholds.value;
}

/** Voltage between phase and neutral from a rating such as `3x220/380 V` or `230 V`. */
function nominalOf(voltage: string | null): number {
  const numbers =
    (voltage ?? '')
      .replace(/^\s*3\s*[x×]/i, '')
      .match(/\d+(\.\d+)?/g)
      ?.map(Number) ?? [];
  return NOMINALS_V.find((nominal) => numbers[0] === nominal) ?? NOMINAL_V;
}

/** 15-minute intervals of a master meter in a range of local days, times its ratios. A single power factor applies to all phases. */
const quarters = (meterId: string, { from, to }: Range, timeZone: string) => sql`
  select s.ts, s.i1 * m.ct_ratio / 1000.0 as ia, s.i2 * m.ct_ratio / 1000.0 as ib, s.i3 * m.ct_ratio / 1000.0 as ic,
    s.i0 * m.ct_ratio / 1000.0 as i0, s.u1 * m.pt_ratio / 1000.0 as ua, s.u2 * m.pt_ratio / 1000.0 as ub, s.u3 * m.pt_ratio / 1000.0 as uc,
    coalesce(s.pf1, s.pf) / 1000.0 as fa, coalesce(s.pf2, s.pf) / 1000.0 as fb, coalesce(s.pf3, s.pf) / 1000.0 as fc
  from meter m cross join lateral (
    select p.day::timestamp at time zone 'UTC' + make_interval(secs => p.lead_s + (u.slot - 1) * p.period_s) as ts, u.*
    from days_of(m.id, 'lpb', ${from}::date - 1, ${to}::date + 1) p
    cross join lateral unnest(p.i1_ma, p.i2_ma, p.i3_ma, p.i0_ma, p.u1_mv, p.u2_mv, p.u3_mv, p.pf_milli, p.pf1_milli, p.pf2_milli, p.pf3_milli) with ordinality
      as u (i1, i2, i3, i0, u1, u2, u3, pf, pf1, pf2, pf3, slot)) as s
  where m.id = ${meterId} and s.i1 is not null
    and s.ts >= ${localDayBegins(sql`${from}::date`, timeZone)} and s.ts < ${localDayBegins(sql`${to}::date + 1`, timeZone)}`;

/** Unbalance in percent: max|x − mean| ÷ mean. */
const unbalance = (a: string, b: string, c: string) => {
  const mean = `((${a} + ${b} + ${c}) / 3)`;
  return sql.raw(`(100 * greatest(abs(${a} - ${mean}), abs(${b} - ${mean}), abs(${c} - ${mean})) / nullif(${mean}, 0))::float8`);
};

interface Quarter {
  ts: Date;
  ia: number;
  ib: number;
  ic: number;
  i0: number | null;
  ua: number | null;
  ub: number | null;
  uc: number | null;
  fa: number | null;
  fb: number | null;
  fc: number | null;
  iUnbalance: number | null;
  uUnbalance: number | null;
}

const kw = (volts: number | null, amperes: number, factor: number | null): number | null =>
  volts === null || factor === null ? null : (volts * amperes * factor) / 1000;

const toSlot = (row: Quarter): BalanceSlot => ({
  at: iso(row.ts),
  current: [row.ia, row.ib, row.ic],
  neutral: row.i0,
  voltage: [row.ua, row.ub, row.uc],
  power: [kw(row.ua, row.ia, row.fa), kw(row.ub, row.ib, row.fb), kw(row.uc, row.ic, row.fc)],
  currentUnbalancePercent: row.iUnbalance,
  voltageUnbalancePercent: row.uUnbalance,
});

async function slotsOf(db: Db, meterId: string, day: string, timeZone: string): Promise<BalanceSlot[]> {
  const { rows } = await sql<Quarter>`
    select ts, ia::float8, ib::float8, ic::float8, i0::float8, ua::float8, ub::float8, uc::float8,
      fa::float8, fb::float8, fc::float8,
      ${unbalance('ia', 'ib', 'ic')} as "iUnbalance", ${unbalance('ua', 'ub', 'uc')} as "uUnbalance"
    from (${quarters(meterId, { from: day, to: day }, timeZone)}) as q order by ts`.execute(db);
  return rows.map(toSlot);
}

/** Means by local hour of a range. */
async function heatOf(db: Db, meterId: string, range: Range, timeZone: string): Promise<PhaseBalance['heat']> {
  const { rows } = await sql<{ ts: Date; value: number }>`
    select ts, value from (select ts, ${unbalance('ia', 'ib', 'ic')} as value from (${quarters(meterId, range, timeZone)}) as q) as u
    where value is not null`.execute(db);
  const zone = new Zone(timeZone);
  const byHour = Map.groupBy(rows, ({ ts }) => zone.hourBegins(ts.getTime()));
  const meanOf = (hour: number): number | null => {
    const found = byHour.get(hour);
    return found === undefined ? null : found.reduce((sum, { value }) => sum + value, 0) / found.length;
  };
  const days: PhaseBalance['heat'] = [];
  for (let day = dayNumberOf(range.from); day <= dayNumberOf(range.to); day++)
    days.push({
      day: dayText(day),
      hours: zone.hoursOf(day).map(({ from }) => ({ at: new Date(from).toISOString(), value: meanOf(from) })),
    });
  return days;
}

function meanOfHeat(heat: PhaseBalance['heat']): number | null {
  const hours = heat.flatMap((one) => one.hours.map(({ value }) => value)).filter((value) => value !== null);
  return hours.length === 0 ? null : hours.reduce((sum, value) => sum + value, 0) / hours.length;
}

/** Mean current unbalance in percent that a master meter measured over a range; null: no data. */
export const meanUnbalance = async (db: Db, masterMeterId: string | null, range: Range, timeZone: string): Promise<number | null> =>
  masterMeterId === null ? null : meanOfHeat(await heatOf(db, masterMeterId, range, timeZone));

/** Energy in kWh of every customer's meter over the range, from its daily freezes, with its identified or recorded phase. */
const consumptions = (transformerId: string, { from, to }: Range) => sql`
  select meter.id, meter.sn, coalesce(meter.customer_name, meter.customer_no) as customer_name, used.kwh, used.first_day, used.last_day,
    case when r.confidence >= ${SURE} then r.final_phase else meter.recorded_phase end as phase
  from meter left join phase_result r on r.meter_id = meter.id and r.transformer_id = meter.transformer_id
  cross join lateral (
    select coalesce(sum(register_step(d.before, d.e_plus)), 0) * meter.ct_ratio * meter.pt_ratio as kwh, min(d.freeze_date) as first_day, max(d.freeze_date) as last_day
    from (select freeze_date, e_plus, lag(e_plus) over (order by freeze_date) as before from freezes_of(meter.id, ${from}::date, ${to}::date + 1) r
      where r.quality <> 'invalid' and r.e_plus is not null) as d) as used
  where meter.transformer_id = ${transformerId} and not meter.is_master and meter.inventory_state <> 'in_warehouse'`;

async function sharesOf(db: Db, transformerId: string, range: Range): Promise<PhaseShare[]> {
  const { rows } = await sql<PhaseShare>`
    select phase, count(*)::int as meters, sum(kwh)::float8 as kwh from (${consumptions(transformerId, range)}) as c group by phase order by phase`.execute(
    db,
  );
  return rows;
}

function classOf(
  percent: number | null,
  limits: { unbalanceWarningPercent: number; unbalanceSeriousPercent: number },
): UnbalanceClass | null {
  if (percent === null) return null;
  if (percent <= limits.unbalanceWarningPercent) return 'fine';
  return percent <= limits.unbalanceSeriousPercent ? 'warning' : 'serious';
}

export async function balanceOf(
  ctx: Context,
  user: User,
  transformerId: string,
  query: Range & { day?: string | undefined },
): Promise<PhaseBalance> {
  checkRange(query);
  const { db, settings } = ctx;
  const place = await findPlace(db, user, transformerId);
  const today = localDay(ctx.clock.now(), settings.timeZone);
  const day = query.day ?? (query.to < today ? query.to : today);
  const { masterMeterId } = place;
  const master =
    masterMeterId === null
      ? undefined
      : await db
          .selectFrom('meter')
          .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
          .where('meter.id', '=', masterMeterId)
          .select(['meter.voltage', 'meterType.voltage as typeVoltage'])
          .executeTakeFirst();
  const [thresholds, slots, heat, shares] = await Promise.all([
    findThresholds(db),
    masterMeterId === null ? [] : slotsOf(db, masterMeterId, day, settings.timeZone),
    masterMeterId === null ? [] : heatOf(db, masterMeterId, query, settings.timeZone),
    sharesOf(db, transformerId, query),
  ]);
  const mean = meanOfHeat(heat);
  const nominal = nominalOf(master?.voltage ?? master?.typeVoltage ?? null);
  return {
    transformerId: place.id,
    name: place.name,
    masterMeterId,
    masterMeterSn: place.masterMeterSn,
    day,
    slots,
    heat,
    shares,
    meanUnbalancePercent: mean,
    class: classOf(mean, thresholds),
    limits: {
      warningPercent: thresholds.unbalanceWarningPercent,
      seriousPercent: thresholds.unbalanceSeriousPercent,
      lowV: nominal * (1 - thresholds.voltageBelowPercent / 100),
      highV: nominal * (1 + thresholds.voltageAbovePercent / 100),
    },
  };
}

interface Used {
  id: string;
  sn: string;
  customerName: string | null;
  phase: SinglePhase | 'abc' | 'unknown';
  kw: number;
}

/** Mean power of each customer of a transformer with consumption. */
export async function meanPowers(db: Db, transformerId: string, range: Range, timeZone: string): Promise<Used[]> {
  const begins = (day: string) => localDayBegins(sql.ref(day), timeZone);
  const { rows } = await sql<Used>`
    select id, sn, customer_name as "customerName", phase, (kwh * 3600 / extract(epoch from ${begins('last_day')} - ${begins('first_day')}))::float8 as kw
    from (${consumptions(transformerId, range)}) as c where last_day > first_day and kwh > 0 order by id`.execute(db);
  return rows;
}
