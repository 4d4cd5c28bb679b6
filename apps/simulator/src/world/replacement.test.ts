import { describe, expect, test } from 'vitest';
import { SLOT_MS, dayStart, localDay } from './calendar.ts';
import { airOf } from './air.ts';
import { deviceNumber } from './replacement.ts';
import { membersOf, networkAt, newNetworkState } from './network.ts';
import type { MeterPlan } from './plan.ts';
import { createWorld, type Tariff, type World } from './world.ts';

const TODAY = localDay(Date.UTC(2026, 10, 21, 6, 7, 8));
/** Not aligned to a quarter-hour, an hour or a tariff change. */
const AT = dayStart(TODAY - 5) + 9 * 3_600_000 + 437_000;
const TARIFFS: readonly Tariff[] = [0, 1, 2, 3, 4];
const DIRECTIONS = ['plus', 'minus'] as const;

/** A household, a prosumer and a master meter of a test fleet, each replaced twice. */
function exchangedIn(seed: number): { world: World; trios: MeterPlan[][] } {
  const world = createWorld(seed);
  const places = [
    world.plan.meters.find(({ kind, isSilent }) => kind === 'household' && !isSilent),
    world.plan.meters.find(({ exportDailyWh }) => exportDailyWh > 0),
    world.plan.meters.find(({ kind }) => kind === 'master'),
  ].filter((meter) => meter !== undefined);
  const trios = places.map((place) => {
    const second = world.replaceMeter(place, AT);
    return [place, second, world.replaceMeter(second, AT + 2 * 86_400_000)];
  });
  return { world, trios };
}

describe('a meter replacement', () => {
  test.each([1, 2])(
    'conserves energy: three successive meters together count the consumption of the customer in every tariff (seed %i)',
    (seed) => {
      const { world, trios } = exchangedIn(seed);
      const before = createWorld(seed);
      const [from, to] = [dayStart(TODAY - 9), dayStart(TODAY) + 1_234_000];
      for (const trio of trios) {
        const [place] = trio as [MeterPlan]; // as: three each
        for (const direction of DIRECTIONS)
          for (const tariff of TARIFFS) {
            const counted = trio.map(
              (meter) => world.register(meter, to, direction, tariff) - world.register(meter, from, direction, tariff),
            );
            const used = world.flowed(place, from, to, direction, tariff);
            expect(counted.reduce((a, b) => a + b, 0)).toBe(used);
            const twin = before.meterBySn.get(place.sn) ?? place;
            expect(used).toBe(before.register(twin, to, direction, tariff) - before.register(twin, from, direction, tariff));
          }
      }
    },
  );

  test('freezes the registers of the old meter and keeps its history', () => {
    const { world, trios } = exchangedIn(1);
    const before = createWorld(1);
    for (const [old] of trios) {
      if (!old) continue;
      const twin = before.meterBySn.get(old.sn) ?? old;
      expect(world.register(old, AT + 86_400_000, 'plus', 0)).toBe(world.register(old, AT, 'plus', 0));
      expect(world.register(old, AT - 1000, 'plus', 0)).toBe(before.register(twin, AT - 1000, 'plus', 0));
      expect(world.energySeries(old, TODAY - 8)).toEqual(before.energySeries(twin, TODAY - 8));
      expect([world.isUp(old, AT - 1), world.isUp(old, AT)]).toEqual([true, false]);
    }
  });

  test('gives the new meter a unique identity and an initial reading, often 0, equal to the sum of its tariffs', () => {
    const world = createWorld(4);
    const fresh = world.plan.meters.filter(({ kind }) => kind === 'household').map((meter) => world.replaceMeter(meter, AT));
    expect(new Set([...world.plan.meters, ...fresh].map(deviceNumber)).size).toBe(world.plan.meters.length + fresh.length);
    expect(world.meterBySn.size).toBe(world.plan.meters.length + fresh.length);
    const initial = fresh.map((meter) => world.register(meter, AT, 'plus', 0));
    const zeros = initial.filter((wh) => wh === 0).length / initial.length;
    expect(zeros).toBeGreaterThan(0.35);
    expect(zeros).toBeLessThan(0.65);
    expect(Math.max(...initial)).toBeLessThan(10_000);
    for (const meter of fresh) {
      const tariffs = TARIFFS.slice(1).map((tariff) => world.register(meter, AT + 98_765, 'plus', tariff));
      expect(tariffs.reduce((a, b) => a + b, 0)).toBe(world.register(meter, AT + 98_765, 'plus', 0));
    }
    // Another process with the same replacement yields the same meter.
    const again = createWorld(4);
    const [place] = again.plan.meters.filter(({ kind }) => kind === 'household');
    expect(place && again.replaceMeter(place, AT)).toEqual(fresh[0]);
  });

  test('splits the quarter-hour between both meters and keeps the voltage of the measuring place', () => {
    const { world, trios } = exchangedIn(1);
    const day = TODAY - 5;
    const slot = Math.ceil((AT - dayStart(day)) / SLOT_MS);
    for (const [old, fresh] of trios) {
      if (!old || !fresh) continue;
      const place = createWorld(1);
      const [whole, gone, come] = [
        place.energySeries(place.meterBySn.get(old.sn) ?? old, day),
        world.energySeries(old, day),
        world.energySeries(fresh, day),
      ];
      for (let k = 0; k < 96; k++) expect((gone.pPlus[k] ?? 0) + (come.pPlus[k] ?? 0)).toBe(whole.pPlus[k]);
      if (old.kind === 'household') expect(come.pPlus[slot]).toBeLessThan(whole.pPlus[slot] ?? 0);
      expect(gone.ePlus[slot + 1]).toBe(world.register(old, AT, 'plus', 0));
      expect(come.ePlus[slot]).toBe(world.register(fresh, dayStart(day) + slot * SLOT_MS, 'plus', 0));
      expect(world.gridSeries(fresh, day)).toEqual(place.gridSeries(place.meterBySn.get(old.sn) ?? old, day));
    }
  });

  test('swaps the meter in discovery and topology from that moment on and leaves all others unchanged', () => {
    const world = createWorld(1);
    const old = world.plan.meters.find(({ kind, isSilent }) => kind === 'household' && !isSilent);
    if (!old) throw new Error('The fleet has no such household');
    const state = newNetworkState(false);
    const nodes = (atMs: number) =>
      networkAt(world, state, old.dcu, atMs).map(({ meter, nodeId, parentId }) => [meter.sn, nodeId, parentId]);
    const heard = (atMs: number) =>
      airOf(1, old.dcu, membersOf(world, state, old.dcu, atMs), world.neighboursAt(old.dcu, atMs)).map(({ meter }) => meter.sn);
    const [nodesBefore, heardBefore] = [nodes(AT), heard(AT)];
    const fresh = world.replaceMeter(old, AT);
    const renamed = (sn: unknown) => (sn === old.sn ? fresh.sn : sn);
    expect(nodes(AT - 1).map(([sn]) => sn)).toContain(old.sn);
    expect(nodes(AT)).toEqual(nodesBefore.map(([sn, ...rest]) => [renamed(sn), ...rest]));
    expect(heard(AT)).toEqual(heardBefore.map(renamed));
  });

  test('starts the event log of the new meter with a power-up', () => {
    const { world, trios } = exchangedIn(1);
    const [, fresh] = trios[0] ?? [];
    if (!fresh) throw new Error('The meter was not replaced');
    const [first, ...rest] = world.events(fresh, 'standard', AT - 30 * 86_400_000, AT + 86_400_000);
    expect(first).toEqual({ at: AT, code: 2 });
    expect(rest.every(({ at }) => at >= AT)).toBe(true);
  });

  test('is refused for a removed meter and for a moment before its installation', () => {
    const { world, trios } = exchangedIn(1);
    const [old, , last] = trios[0] ?? [];
    if (!old || !last) throw new Error('The meter was not replaced');
    expect(() => world.replaceMeter(old, AT + 9 * 86_400_000)).toThrow(/already been removed/);
    expect(() => world.replaceMeter(last, AT)).toThrow(/not yet installed/);
  });
});
