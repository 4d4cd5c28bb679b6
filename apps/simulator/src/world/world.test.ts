import { describe, expect, test } from 'vitest';
import { DAY_MS, SLOT_MS, dayStart, localDay } from './calendar.ts';
import type { MeterPlan } from './plan.ts';
import { createWorld, type Tariff } from './world.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 7, 8);
const TODAY = localDay(NOW);
const world = createWorld(1);
const meters = world.plan.meters;
const masters = meters.filter((meter) => meter.kind === 'master');
const thief = meters.find((meter) => meter.stolenDailyWh !== undefined) as MeterPlan; // as: a test says there is one
const sample = meters.filter((_, index) => index % 23 === 0);
const prosumers = meters.filter((meter) => meter.exportDailyWh > 0);
const slotsOf = (fromDay: number, days: number): number[] =>
  Array.from({ length: days * 96 + 1 }, (_, i) => dayStart(fromDay) + i * SLOT_MS);

describe('the test fleet', () => {
  test('has the size of a small utility', () => {
    expect(world.plan.transformers).toHaveLength(16);
    expect(meters).toHaveLength(480);
    expect(world.plan.dcus.filter((dcu) => !dcu.isUnregistered)).toHaveLength(18);
    expect(world.plan.dcus.filter((dcu) => dcu.connectionType === 'dial_out')).toHaveLength(6);
    expect(world.plan.dcus.filter((dcu) => dcu.isAbsent)).toHaveLength(1);
    expect(prosumers.length).toBeGreaterThan(8);
  });

  test('has unique serial numbers in the form of the archive', () => {
    expect(new Set(meters.map((meter) => meter.sn)).size).toBe(480);
    for (const meter of meters) expect(meter.sn).toMatch(/^[A-Z0-9]{4,20}$/);
    for (const dcu of world.plan.dcus) expect(dcu.sn).toMatch(/^[A-Z0-9]{6,32}$/);
  });

  test('has one unresponsive meter, one with a wrong key and one with an opened cover', () => {
    for (const problem of ['isSilent', 'hasWrongKey', 'isTampered'] as const)
      expect(meters.filter((meter) => meter[problem])).toHaveLength(1);
  });

  test('has one case of theft, seen in the losses of its transformer, and one unrecorded generator', () => {
    expect(meters.filter((meter) => meter.stolenDailyWh !== undefined)).toEqual([thief]);
    const [master] = masters.filter((meter) => meter.transformer === thief.transformer);
    const days = 30;
    const gained = (meter: MeterPlan, direction: 'plus' | 'minus') =>
      world.register(meter, dayStart(TODAY), direction, 0) - world.register(meter, dayStart(TODAY - days), direction, 0);
    const metered = world.customersOf(thief.transformer).reduce((sum, meter) => sum + gained(meter, 'plus') - gained(meter, 'minus'), 0);
    const lost = master ? gained(master, 'plus') - metered : 0;
    expect(lost).toBeGreaterThan(0.9 * days * (thief.stolenDailyWh ?? 0));
    const roofs = meters.filter((meter) => meter.isUnrecordedGenerator);
    expect(roofs).toHaveLength(1);
    // Above the alert threshold of the head-end.
    for (const roof of roofs) expect(gained(roof, 'minus') / days).toBeGreaterThan(1000);
  });

  test('has clocks within 20 seconds except one, and some exact ones', () => {
    expect(meters.filter((meter) => Math.abs(meter.driftSeconds) > 20)).toHaveLength(1);
    expect(meters.some((meter) => meter.driftSeconds === 0)).toBe(true);
    expect(meters.some((meter) => meter.driftSeconds < -5)).toBe(true);
  });
});

describe('the utility', () => {
  test('names its places, devices and customers in one language, and each customer but not the master meters', () => {
    const [english, chinese] = (['en', 'zh'] as const).map((language) => createWorld(1, 'utility', undefined, undefined, language).plan);
    for (const plan of [english, chinese])
      for (const { kind, customerName } of plan?.meters ?? []) expect(customerName === null).toBe(kind === 'master');
    const textOf = (plan: typeof english) =>
      [...(plan?.levels ?? []), ...(plan?.transformers ?? []), ...(plan?.dcus ?? [])]
        .map(({ name }) => name)
        .concat(plan?.meters.flatMap(({ customerName, address }) => [customerName ?? '', address]) ?? []);
    expect(textOf(english).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
    expect(textOf(chinese).filter((text) => /[a-z]/.test(text))).toEqual([]);
    expect(chinese?.meters.map(({ sn }) => sn)).toEqual(english?.meters.map(({ sn }) => sn));
  });

  test('of a former version has 125 meters at each transformer, so that its archive stays valid', () => {
    const { plan } = createWorld(1, 'utility-even');
    const sizes = [...Map.groupBy(plan.meters, ({ transformer }) => transformer).values()].map((own) => own.length);
    expect(new Set(sizes)).toEqual(new Set([125]));
    expect(plan.meters).toHaveLength(5000);
  });

  test('has a region, districts, feeders and a few real problems', () => {
    const { plan } = createWorld(1, 'utility');
    const dcus = plan.dcus.filter((dcu) => !dcu.isUnregistered);
    expect([plan.transformers.length, dcus.length, plan.meters.length]).toEqual([40, 60, 5000]);
    expect(Map.groupBy(plan.levels, (level) => level.type).get('feeder')).toHaveLength(10);
    expect(plan.levels.slice(1).every((level) => plan.levels.some((above) => above.code === level.parentCode))).toBe(true);
    expect(new Set(plan.meters.map((meter) => meter.sn)).size).toBe(5000);
    const sizes = [...Map.groupBy(plan.meters, ({ transformer }) => transformer).values()].map((own) => own.length);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([12, 210]);
    expect(new Set(sizes).size).toBeGreaterThan(30);
    expect(plan.meters.filter((meter) => meter.mode === 'rf').length).toBeGreaterThan(500);
    expect(plan.meters.filter((meter) => meter.isUncommissioned)).toHaveLength(1);
    expect(plan.archiveDrift.map(({ kind }) => kind)).toEqual(['missing', 'phase', 'stale']);
    const misread = plan.meters.filter((meter) => meter.recordedPhase !== undefined);
    expect(misread.length / plan.meters.length).toBeGreaterThan(0.005);
    expect(misread.length / plan.meters.length).toBeLessThan(0.03);
    expect(misread.filter((meter) => meter.recordedPhase === meter.phase)).toEqual([]);
    expect(dcus.filter((dcu) => dcu.isAbsent)).toHaveLength(1);
  });
});

describe('registers', () => {
  test('rise in every quarter-hour for meters without export', () => {
    for (const meter of sample.filter((one) => one.exportDailyWh === 0)) {
      const values = slotsOf(TODAY - 3, 3).map((at) => world.register(meter, at, 'plus', 0));
      values.slice(1).forEach((value, i) => expect(value).toBeGreaterThan(values[i] ?? 0));
    }
  });

  test('are monotonic within a quarter-hour and continuous at its end', () => {
    for (const meter of sample.slice(0, 8)) {
      const start = dayStart(TODAY - 1) + 76 * SLOT_MS;
      const values = Array.from({ length: 1801 }, (_, second) => world.register(meter, start + second * 1000, 'plus', 0));
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
  });

  test('are the exact sum of their tariffs, in both directions, at any second', () => {
    for (const meter of [...sample, ...prosumers]) {
      for (const at of [NOW, NOW - 1_234_567, dayStart(TODAY), dayStart(TODAY - 59) + 5 * 3_600_000 + 7000]) {
        for (const direction of ['plus', 'minus'] as const) {
          const tariffs = ([1, 2, 3, 4] as Tariff[]).map((tariff) => world.register(meter, at, direction, tariff));
          expect(tariffs.reduce((a, b) => a + b, 0)).toBe(world.register(meter, at, direction, 0));
        }
      }
    }
  });

  test('count in one tariff at a time, by the hour of the day', () => {
    const meter = sample[1] as MeterPlan; // as: sample is never that short.
    const hours: [number, Tariff][] = [
      [3, 4],
      [7, 3],
      [9, 2],
      [14, 3],
      [18, 2],
      [20, 1],
      [22, 3],
      [23, 4],
    ];
    for (const [hour, running] of hours) {
      const at = dayStart(TODAY - 2) + hour * 3_600_000;
      for (const tariff of [1, 2, 3, 4] as Tariff[]) {
        const moved = world.register(meter, at + 900_000, 'plus', tariff) - world.register(meter, at, 'plus', tariff);
        expect(moved > 0).toBe(tariff === running);
      }
    }
  });

  test('rise on each of the past 60 days', () => {
    const days = Array.from({ length: 61 }, (_, back) => dayStart(TODAY - 60 + back));
    for (const meter of meters) {
      const values = days.map((at) => world.register(meter, at, 'plus', 0));
      expect(Math.min(...values.slice(1).map((value, i) => value - (values[i] ?? 0)))).toBeGreaterThan(96);
    }
  });

  test('fit into 32 bits for years, except those of master meters', () => {
    for (const meter of meters.filter((one) => one.kind !== 'master'))
      expect(world.register(meter, NOW + 5 * 365 * DAY_MS, 'plus', 0)).toBeLessThan(2 ** 32);
  });
});

describe('load', () => {
  test('averages exactly to the difference of the registers', () => {
    for (const meter of [...sample.slice(0, 6), ...prosumers.slice(0, 3)]) {
      for (const at of slotsOf(TODAY - 1, 1).slice(1)) {
        for (const direction of ['plus', 'minus'] as const) {
          const wh = world.register(meter, at, direction, 0) - world.register(meter, at - SLOT_MS, direction, 0);
          expect(world.averagePower(meter, at, 900, direction)).toBe(wh * 4);
        }
      }
    }
  });

  test('integrates over the seconds of a quarter-hour to its energy', () => {
    for (const meter of sample.slice(0, 6)) {
      const start = dayStart(TODAY - 1) + 80 * SLOT_MS;
      let wattSeconds = 0;
      for (let second = 0; second < 900; second++) wattSeconds += world.electricAt(meter, start + second * 1000 + 500).powerW;
      const wh = world.register(meter, start + SLOT_MS, 'plus', 0) - world.register(meter, start, 'plus', 0);
      expect(wattSeconds / 3600).toBeCloseTo(wh, 1);
    }
  });

  test('peaks in the evening for households and before dawn for bakeries', () => {
    const mean = (kind: string, hour: number): number => {
      const some = meters.filter((meter) => meter.kind === kind).slice(0, 40);
      return (
        some.reduce((sum, meter) => sum + world.averagePower(meter, dayStart(TODAY - 3) + hour * 3_600_000, 3600, 'plus'), 0) / some.length
      );
    };
    expect(mean('household', 20)).toBeGreaterThan(2.5 * mean('household', 4));
    expect(mean('bakery', 5)).toBeGreaterThan(1.5 * mean('bakery', 20));
  });

  test('of a prosumer is export at noon and import at night, never both at once', () => {
    for (const meter of prosumers) {
      for (const at of slotsOf(TODAY - 2, 2).slice(1)) {
        const [taken, given] = [world.averagePower(meter, at, 900, 'plus'), world.averagePower(meter, at, 900, 'minus')];
        expect(taken === 0 || given === 0).toBe(true);
      }
      expect(world.averagePower(meter, dayStart(TODAY - 2) + 12.5 * 3_600_000, 900, 'minus')).toBeGreaterThan(0);
      expect(world.averagePower(meter, dayStart(TODAY - 2) + 21 * 3_600_000, 900, 'plus')).toBeGreaterThan(0);
    }
  });

  test('of a transformer is the exact sum of its meters and the losses for 60 days, except with theft', () => {
    for (const master of masters) {
      const customers = world.customersOf(master.transformer);
      const past = customers.reduce((sum, meter) => sum + (meter.stolenDailyWh ?? 0), 0);
      expect(past > 0).toBe(master.transformer === thief.transformer);
      for (let day = TODAY - 60; day <= TODAY; day++) {
        const gained = (meter: MeterPlan, direction: 'plus' | 'minus'): number =>
          world.register(meter, dayStart(day + 1), direction, 0) - world.register(meter, dayStart(day), direction, 0);
        const sum = customers.reduce((total, meter) => total + gained(meter, 'plus') - gained(meter, 'minus'), 0);
        const loss = gained(master, 'plus') - sum;
        expect(loss / sum).toBeGreaterThan(past > 0 ? 0.06 : 0.02);
        if (past === 0) expect(loss / sum).toBeLessThan(0.06);
        expect(gained(master, 'minus')).toBe(0);
      }
    }
  });

  test('never makes a transformer feed back in any quarter-hour of two months', () => {
    for (const master of masters) {
      const customers = world.customersOf(master.transformer);
      for (let day = TODAY - 60; day <= TODAY; day += 4) {
        const { pPlus } = world.energySeries(master, day);
        expect(pPlus.every((watts) => watts > 0 && watts < 1e6)).toBe(true);
      }
      for (const at of slotsOf(TODAY - 1, 1).slice(1)) {
        const sum = customers.reduce(
          (total, meter) => total + world.averagePower(meter, at, 900, 'plus') - world.averagePower(meter, at, 900, 'minus'),
          0,
        );
        expect(world.averagePower(master, at, 900, 'plus')).toBeGreaterThan(sum);
      }
    }
  });
});

describe('a whole day', () => {
  test('equals the values of single quarter-hours', () => {
    for (const meter of [...sample.slice(0, 5), ...prosumers.slice(0, 2), ...masters.slice(0, 1)]) {
      const day = TODAY - 1;
      const energy = world.energySeries(meter, day);
      const grid = world.gridSeries(meter, day);
      for (let slot = 0; slot < 96; slot++) {
        const at = dayStart(day) + slot * SLOT_MS;
        expect(energy.ePlus[slot]).toBe(world.register(meter, at, 'plus', 0));
        expect(energy.eMinus[slot]).toBe(world.register(meter, at, 'minus', 0));
        expect(energy.pPlus[slot]).toBe(world.averagePower(meter, at, 900, 'plus'));
        expect(energy.pMinus[slot]).toBe(world.averagePower(meter, at, 900, 'minus'));
        expect(energy.sPlus[slot]).toBe(world.averageApparent(meter, at, 'plus'));
        expect(grid.voltages.map((values) => values[slot])).toEqual(world.electricOfSlot(meter, at).voltages);
      }
    }
  });
});

describe('voltage, current and power factor', () => {
  test('are consistent with the power', () => {
    for (const meter of sample) {
      const seen = world.electricAt(meter, NOW);
      const power = seen.voltages.reduce((sum, volts, phase) => sum + volts * (seen.currents[phase] ?? 0) * seen.powerFactor, 0);
      expect(power).toBeCloseTo(Math.abs(seen.powerW), 3);
      const byPhase = seen.factors.map((factor, phase) => (seen.voltages[phase] ?? 0) * (seen.currents[phase] ?? 0) * factor);
      expect(byPhase).toHaveLength(meter.phase === 'abc' ? 3 : 0);
      if (byPhase.length > 0) expect(byPhase.reduce((sum, watts) => sum + watts, 0)).toBeCloseTo(Math.abs(seen.powerW), 3);
      for (const factor of seen.factors) expect(factor > 0.8 && factor < 1).toBe(true);
      expect(seen.voltages).toHaveLength(meter.phase === 'abc' ? 3 : 1);
      for (const volts of seen.voltages) expect(volts > 200 && volts < 236).toBe(true);
    }
  });

  test('include a voltage that falls with transformer load and distance', () => {
    const mean = (which: (meter: MeterPlan) => boolean, hour: number): number => {
      const seen = meters
        .filter((meter) => meter.kind === 'household' && which(meter))
        .map((meter) => world.electricOfSlot(meter, dayStart(TODAY - 4) + hour * 3_600_000).voltages[0] ?? 0);
      return seen.reduce((a, b) => a + b, 0) / seen.length;
    };
    expect(mean(() => true, 20)).toBeLessThan(mean(() => true, 4) - 1);
    expect(mean((meter) => meter.distance > 0.7, 20)).toBeLessThan(mean((meter) => meter.distance < 0.3, 20) - 1);
  });
});

describe('a seed', () => {
  test('reproduces the same world', () => {
    const again = createWorld(1);
    expect(again.plan).toEqual(world.plan);
    for (const [i, meter] of sample.entries()) {
      const twin = again.plan.meters[i * 23] as MeterPlan; // as: the plans are equal.
      expect(again.register(twin, NOW, 'plus', 0)).toBe(world.register(meter, NOW, 'plus', 0));
      expect(again.electricAt(twin, NOW)).toEqual(world.electricAt(meter, NOW));
      expect(again.events(twin, 'standard', NOW - 60 * DAY_MS, NOW)).toEqual(world.events(meter, 'standard', NOW - 60 * DAY_MS, NOW));
    }
  });

  test('yields another world for another value', () => {
    const other = createWorld(2);
    const registers = (one: typeof world): number[] => one.plan.meters.map((meter) => one.register(meter, NOW, 'plus', 0));
    const same = registers(other).filter((value, i) => value === registers(world)[i]);
    expect(same.length).toBeLessThan(5);
  });
});

describe('events', () => {
  test('cover 60 days, with outages at the same second for one transformer', () => {
    const since = NOW - 60 * DAY_MS;
    const outages = meters
      .filter((meter) => meter.transformer.index === 3)
      .map((meter) => world.events(meter, 'standard', since, NOW).filter((event) => event.code <= 2));
    for (const outage of outages) expect(outage).toEqual(outages[0]);
    expect(meters.some((meter) => world.events(meter, 'standard', since, NOW).length > 0)).toBe(true);
    const opened = meters.filter((meter) => world.events(meter, 'fraud', since, NOW).length > 0);
    expect(opened.map((meter) => meter.isTampered)).toEqual([true]);
  });
});

test('a benchmark fleet has the requested number of devices', () => {
  const fleet = createWorld(1, { dcus: 5, metersPerDcu: 40 });
  expect(fleet.plan.dcus).toHaveLength(5);
  expect(fleet.plan.meters).toHaveLength(200);
  expect(new Set(fleet.plan.meters.map((meter) => meter.sn)).size).toBe(200);
});
