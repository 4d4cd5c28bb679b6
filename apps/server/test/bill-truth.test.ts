import type { AnomalyRow } from '@hes/contract/analysis/anomaly.ts';
import type { BalanceRow } from '@hes/contract/analysis/balance.ts';
import type { BillLine } from '@hes/contract/analysis/bill.ts';
import type { AnomalyType } from '@hes/contract/states/anomaly.ts';
import { commissioningOf, meterEntry } from '@hes/simulator/control/commissioning.ts';
import { dayStart } from '@hes/simulator/world/calendar.ts';
import type { MeterPlan, TransformerPlan } from '@hes/simulator/world/plan.ts';
import { streamOf, unitAt } from '@hes/simulator/world/random.ts';
import { createWorld, type World } from '@hes/simulator/world/world.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/platform/clock.ts';
import { commissioningFile } from '../src/db/seed/commissioning.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { followArrivals } from '../src/features/balance/day/watch.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

/** `HES_TEST_LONG=1`: every street of a fleet, and the fleet of `HES_TEST_SEED`. */
const IS_LONG = process.env['HES_TEST_LONG'] === '1';
const SEED = Number(process.env['HES_TEST_SEED'] ?? 1);
const TRANSFORMERS = IS_LONG ? 16 : 2;
/** Timeout for a fleet of 42 days on a busy machine. */
const BEFORE_MS = 240_000;
const MISSING_SHARE = 0.1;
/** Where every reading arrived. */
const COMPLETE = 0;

/** Figures of the long form, for who judges it. */
const report = (text: string): void => void (IS_LONG && process.stdout.write(`seed ${SEED}: ${text}\n`));

const DAY_MS = 86_400_000;
/** Local days; the freeze of a day is taken where it begins. */
const LAST = Date.parse('2026-10-19') / DAY_MS;
const FIRST = LAST - 41;
const PLANTED = LAST - 3;
/** A meter is replaced around noon of this day, within a 15-minute interval. */
const EXCHANGED = LAST - 10;
const EXCHANGED_AT = dayStart(EXCHANGED) + DAY_MS / 2 + 437_000;
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const PERIOD = { from: dayText(LAST - 30), to: dayText(LAST - 1) };
const range = `from=${PERIOD.from}&to=${PERIOD.to}`;

/** Wh that a meter counted on a day. */
interface Gain {
  plus: number;
  minus: number;
}

/** A manipulation of a meter, and the anomaly expected on the day. */
const TRICKS: { expected: AnomalyType; change: (gain: Gain, day: number, meter: MeterPlan) => Gain }[] = [
  // Theft: a bridge past the meter. An eighth is still counted, the transformer delivers all of it.
  { expected: 'sudden_decrease', change: (gain, day) => (day < PLANTED ? gain : { ...gain, plus: Math.round(gain.plus / 8) }) },
  { expected: 'sudden_increase', change: (gain, day, { meanDailyWh }) => on(day, gain, { plus: gain.plus + 4 * meanDailyWh }) },
  // 60 A at 220 V are 317 kWh a day.
  { expected: 'upper_limit', change: (gain, day) => on(day, gain, { plus: 400_000 }) },
  { expected: 'lower_limit', change: (gain, day) => (day <= PLANTED - 7 ? gain : { ...gain, plus: 0 }) },
  // An unrecorded generator.
  { expected: 'reverse_electricity', change: (gain, day) => (day < PLANTED ? gain : { ...gain, minus: gain.minus + 2500 }) },
];
const on = (day: number, gain: Gain, change: Partial<Gain>): Gain => (day === PLANTED ? { ...gain, ...change } : gain);

let app: TestApp;
let analyst: TestUser;
let world: World;
let places: TransformerPlan[] = [];
/** Energy of each meter by day since the first. */
const counted = new Map<MeterPlan, Gain[]>();
const planted = new Map<MeterPlan, AnomalyType>();
let exchanged: MeterPlan | undefined;
/** The meter in its place since then. */
let successor: MeterPlan | undefined;
const snOf = (meter: MeterPlan) => (meter === exchanged ? successor : meter)?.sn ?? '';
const metersOf = (place: TransformerPlan) => [...counted.keys()].filter((meter) => meter.transformer === place);

function countedBy(meter: MeterPlan, change: (typeof TRICKS)[number]['change'] | undefined): Gain[] {
  const flowed = (day: number, direction: 'plus' | 'minus') => world.flowed(meter, dayStart(day), dayStart(day + 1), direction, 0);
  return Array.from({ length: LAST - FIRST }, (_, k) => {
    const day = FIRST + k;
    const gain = { plus: flowed(day, 'plus'), minus: flowed(day, 'minus') };
    return change?.(gain, day, meter) ?? gain;
  });
}

/** The product's own writer takes them, in tenths of a watt-hour. */
async function store(idOf: ReadonlyMap<string, string>, now: number): Promise<void> {
  const { pool, log, bus, settings } = app.ctx;
  const writer = new ReadingWriter({ pool, log, bus, settings, clock: { ...systemClock, now: () => now } });
  const gaps = streamOf(SEED, 'gaps');
  const stored = [...counted].map(([meter, gains]) => {
    let [plus, minus] = (['plus', 'minus'] as const).map((direction) => world.register(meter, dayStart(FIRST), direction, 0)) as [
      number,
      number,
    ]; // as: two of two
    const counts = [[plus, minus], ...gains.map((gain) => [(plus += gain.plus), (minus += gain.minus)])];
    // At a place without manipulation, the registers of the meters are the reference.
    const shownBy = (device: MeterPlan, day: number) =>
      (['plus', 'minus'] as const).map((direction) => world.register(device, dayStart(day), direction, 0));
    const deviceOn = (day: number) => (meter === exchanged && successor && day > EXCHANGED ? successor : meter);
    const rows = counts.map((registers, k) => ({
      meterId: idOf.get(deviceOn(FIRST + k).sn) ?? '',
      dcuId: '1',
      freezeDay: FIRST + k,
      registers: (meter === exchanged ? shownBy(deviceOn(FIRST + k), FIRST + k) : registers).map((wh) => 10 * wh),
      statusWord: undefined,
      deviceTime: undefined,
      readAt: now,
      source: 'meter' as const,
      traceId: undefined,
    }));
    const isWhole = meter.kind === 'master' || planted.has(meter) || meter.transformer === places[COMPLETE];
    return writer.storeDaily(rows.filter(({ freezeDay }) => isWhole || unitAt(gaps, freezeDay, meter.index) >= MISSING_SHARE));
  });
  await Promise.all(stored);
  await writer.stop();
}

const TARIFFS = [1, 2, 3, 4] as const;

/** Registers of a meter that the fitter recorded, kWh: total import, and all the others. */
function slipOf(meter: MeterPlan) {
  const kwhOf = (direction: 'plus' | 'minus', tariff: 0 | (typeof TARIFFS)[number]) =>
    world.register(meter, EXCHANGED_AT, direction, tariff) / 1000;
  const byTariff = (direction: 'plus' | 'minus') =>
    Object.fromEntries(TARIFFS.map((tariff) => [`${direction}T${tariff}`, kwhOf(direction, tariff)]));
  return { total: kwhOf('plus', 0), others: { minus: kwhOf('minus', 0), ...byTariff('plus'), ...byTariff('minus') } };
}

/** The new meter comes with its keys into the warehouse, and with what the fitter wrote down to its place. */
async function replace(old: MeterPlan): Promise<void> {
  const fresh = world.replaceMeter(old, EXCHANGED_AT);
  const [last, first] = [slipOf(old), slipOf(fresh)];
  const send = async (url: string, payload: object) =>
    (await app.call(analyst, { method: 'POST', url: `/api/asset/meter${url}`, payload })).json<{ id: string }>();
  const known = await app.ctx.db.selectFrom('meter').where('sn', '=', old.sn).select(['id', 'meterTypeId']).executeTakeFirstOrThrow();
  const { sn, systemTitle, ek, ak } = meterEntry(SEED, fresh);
  const { id } = await send('', { sn, meterTypeId: known.meterTypeId, communicationMode: old.mode, systemTitle, keys: { ek, ak } });
  const at = new Date(EXCHANGED_AT).toISOString();
  await send(`/${known.id}/replace`, {
    newMeterId: id,
    finalKwh: last.total,
    final: last.others,
    initialKwh: first.total,
    initial: first.others,
    at,
  });
  successor = fresh;
}

const get = async <T>(path: string) => (await app.call(analyst, { url: `/api/analysis/${path}` })).json<{ items: T[] }>().items;

beforeAll(async () => {
  app = await testApp();
  analyst = await app.addUser({ roles: ['ADMIN'] });
  world = createWorld(SEED);
  places = world.plan.transformers.slice(0, TRANSFORMERS);
  const meters = world.plan.meters.filter((meter) => places.includes(meter.transformer));
  const dcus = world.plan.dcus.filter((dcu) => places.includes(dcu.transformer));
  const plan = { ...world.plan, transformers: places, dcus, meters };
  await importCommissioning(
    app.ctx,
    commissioningFile.parse(commissioningOf(plan, { heartbeatSeconds: 60, apduSize: 2048 }, () => ({ host: '127.0.0.1', port: 4059 }))),
  );
  await sql`update meter set inventory_state = 'active', installed_at = '2026-01-01'`.execute(app.ctx.db);
  for (const place of places) {
    const able = meters.filter(({ transformer, kind, meanDailyWh }) => transformer === place && kind === 'household' && meanDailyWh > 6500);
    TRICKS.forEach(({ expected }, k) => able[k] && planted.set(able[k], expected));
    if (place === places[COMPLETE]) exchanged = able[TRICKS.length];
    for (const meter of meters.filter(({ transformer }) => transformer === place))
      counted.set(meter, countedBy(meter, TRICKS[able.indexOf(meter)]?.change));
  }
  // The reference values of the simulation.
  for (const roof of meters.filter(({ isUnrecordedGenerator }) => isUnrecordedGenerator)) planted.set(roof, 'reverse_electricity');
  if (exchanged) await replace(exchanged);
  const ids = await app.ctx.db.selectFrom('meter').select(['id', 'sn']).execute();
  const now = LAST * DAY_MS;
  await store(new Map(ids.map(({ id, sn }) => [sn, id])), now);
  await followArrivals({ ...app.ctx, clock: { ...systemClock, now: () => now } });
}, BEFORE_MS);
afterAll(() => app.close());

it('S-028: bills what the meters counted, to 0.01 kWh, where every reading arrived, also of a place where the meter was exchanged', async () => {
  const order = { method: 'POST', url: '/api/analysis/bill/calculate', payload: { kind: 'custom', ...PERIOD } } as const;
  const { taskId } = (await app.call(analyst, order)).json<{ taskId: string }>();
  const state = () => app.ctx.db.selectFrom('task').where('id', '=', taskId).select('state').executeTakeFirstOrThrow();
  await expect.poll(async () => (await state()).state, { timeout: 20_000 }).toBe('finished');
  const lines = new Map<string, BillLine>();
  for (let page = 1; page <= Math.ceil(counted.size / 500); page++)
    for (const line of await get<BillLine>(`bill?${range}&size=500&page=${page}`)) lines.set(line.sn, line);
  const lineOf = (meter: MeterPlan) => lines.get(snOf(meter));
  expect(exchanged && lineOf(exchanged)).toMatchObject({ status: 'exchanged' });
  const complete = [...counted].filter(([meter]) => ['complete', 'exchanged'].includes(lineOf(meter)?.status ?? ''));
  const whole = complete.filter(([{ transformer }]) => transformer === places[COMPLETE]);
  expect(whole.length).toBe([...counted.keys()].filter(({ transformer }) => transformer === places[COMPLETE]).length);
  // Charts agree with the table: the days of a street equal its lines, and its balance sells to the same customers.
  const customers = whole.filter(([{ kind }]) => kind !== 'master').map(([meter]) => lineOf(meter));
  const total = (key: 'plus' | 'minus') => customers.reduce((sum, line) => sum + (line?.[key] ?? 0), 0);
  const node = `transformer:${customers[0]?.transformerId}`;
  const days = await get<{ plus: number; minus: number }>(`bill/trend?${range}&node=${node}`);
  expect(days.reduce((sum, day) => sum + day.plus, 0)).toBeCloseTo(total('plus'), 3);
  const [balance] = await get<BalanceRow>(`balance?${range}&node=${node}`);
  expect(balance?.sold).toBeCloseTo(total('plus') - total('minus'), 3);
  let worst = 0;
  for (const [meter, gains] of complete) {
    const used = gains.slice(-30).reduce((sum, gain) => ({ plus: sum.plus + gain.plus, minus: sum.minus + gain.minus }));
    for (const key of ['plus', 'minus'] as const) {
      const off = Math.abs((lineOf(meter)?.[key] ?? Number.NaN) - used[key] / 1000);
      expect(off, `${meter.sn} ${key}`).toBeLessThan(0.01);
      worst = Math.max(worst, off);
    }
  }
  report(`${complete.length} complete bills, at most ${worst.toFixed(4)} kWh off`);
});

it('separates loss from missing data within half a percentage point, with a tenth of the readings missing', async () => {
  const balances = new Map((await get<BalanceRow>(`balance?${range}&size=100`)).map((row) => [row.code, row]));
  let worst = 0;
  for (const place of places) {
    const net = (meter: MeterPlan) => (counted.get(meter) ?? []).slice(-30).reduce((sum, { plus, minus }) => sum + plus - minus, 0);
    const [masters, customers] = [
      metersOf(place).filter(({ kind }) => kind === 'master'),
      metersOf(place).filter(({ kind }) => kind !== 'master'),
    ];
    const supply = masters.reduce((sum, meter) => sum + net(meter), 0);
    const lossPercent = (100 * (supply - customers.reduce((sum, meter) => sum + net(meter), 0))) / supply;
    const row = balances.get(place.code);
    const off = Math.abs((row?.lossPercent ?? Number.NaN) - lossPercent);
    expect(off, place.code).toBeLessThan(0.5);
    worst = Math.max(worst, off);
    expect(row?.metersDataMin ?? 0).toBeLessThanOrEqual(customers.length * (place === places[COMPLETE] ? 1 : 0.9));
  }
  report(`loss of ${places.length} transformers at most ${worst.toFixed(3)} points off`);
});

it('finds every anomaly that was planted, theft too, and calls at most 0.5 % of the other days one', async () => {
  const found: AnomalyRow[] = [];
  for (let page = 1, more = true; more; page++) {
    const rows = await get<AnomalyRow>(`anomaly?${range}&size=500&page=${page}`);
    found.push(...rows);
    more = rows.length === 500;
  }
  const missed = [...planted].filter(
    ([meter, type]) => !found.some((row) => row.sn === meter.sn && row.day === dayText(PLANTED) && row.type === type),
  );
  expect(missed.map(([meter, type]) => `${meter.sn} ${type}`)).toEqual([]);
  const guilty = new Set([...planted.keys()].map(({ sn }) => sn));
  const wrong = found.filter(({ sn }) => !guilty.has(sn));
  const days = (counted.size - planted.size) * 30;
  report(
    `${planted.size} anomalies planted and found; ${wrong.length} false ones in ${days} days of meters, ${((100 * wrong.length) / days).toFixed(3)} %`,
  );
  expect(wrong.length / days).toBeLessThanOrEqual(0.005);
});
