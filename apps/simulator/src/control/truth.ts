import { SLOT_MS, dayStart, localDay } from '#world/calendar.ts';
import { hourLeadMs } from '#world/local-time.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { Tariff, World } from '#world/world.ts';
import { meterEntry } from './commissioning.ts';

/** Ground truth straight from the world: the reference for values read over DLMS, stored by the head-end and shown in the console. */
export interface RegisterTruth {
  at: string;
  ePlus: number;
  ePlusT: number[];
  eMinus: number;
  eMinusT: number[];
}

export interface InstantTruth extends RegisterTruth {
  u: number[];
  i: number[];
  i0: number;
  pPlus: number;
  pMinus: number;
  pf: number;
}

export type ProfileName = 'lpa' | 'lpb' | 'energy';

/** Energies Wh, powers W and VA, voltages V, currents A; in the resolution of the meter. */
export type ProfileTruthRow = { at: string } & Record<string, number | string | number[]>;

const TARIFFS: readonly Tariff[] = [1, 2, 3, 4];
const HOUR_MS = 3_600_000;

/** Rounds to the decimals of the meter's display. */
const round = (value: number, decimals: number): number => Math.round(value * 10 ** decimals) / 10 ** decimals;

function registersAt(world: World, meter: MeterPlan, atMs: number): RegisterTruth {
  return {
    at: new Date(atMs).toISOString(),
    ePlus: world.register(meter, atMs, 'plus', 0),
    ePlusT: TARIFFS.map((tariff) => world.register(meter, atMs, 'plus', tariff)),
    eMinus: world.register(meter, atMs, 'minus', 0),
    eMinusT: TARIFFS.map((tariff) => world.register(meter, atMs, 'minus', tariff)),
  };
}

export function instantTruth(world: World, meter: MeterPlan, atMs: number): InstantTruth {
  const seen = world.electricAt(meter, atMs);
  return {
    ...registersAt(world, meter, atMs),
    u: seen.voltages.map((volts) => round(volts, 1)),
    i: seen.currents.map((amperes) => round(amperes, 2)),
    i0: round(seen.neutral, 2),
    pPlus: Math.max(0, Math.round(seen.powerW)),
    pMinus: Math.max(0, Math.round(-seen.powerW)),
    pf: round(seen.powerFactor, 3),
  };
}

/** Wh that the customer of a meter consumed and exported between two instants, across meter replacements. */
export function flowTruth(world: World, meter: MeterPlan, fromMs: number, toMs: number) {
  const flowed = (direction: 'plus' | 'minus', tariff: Tariff): number => world.flowed(meter, fromMs, toMs, direction, tariff);
  return {
    plus: flowed('plus', 0),
    plusT: TARIFFS.map((tariff) => flowed('plus', tariff)),
    minus: flowed('minus', 0),
    minusT: TARIFFS.map((tariff) => flowed('minus', tariff)),
  };
}

/** The record of a meter replacement: final and initial registers, with the archive entry of the new meter. */
export function replacementTruth(world: World, { old, successor, installation }: ReturnType<World['replacements']>[number]) {
  return {
    at: new Date(installation.atMs).toISOString(),
    oldSn: old.sn,
    final: registersAt(world, old, installation.atMs),
    new: meterEntry(world.plan.seed, successor),
    initial: registersAt(world, successor, installation.atMs),
  };
}
export type ReplacementTruth = ReturnType<typeof replacementTruth>;

/** Registers at the local midnight that begins the day: the daily freeze of that date. */
export function dailyTruth(world: World, meter: MeterPlan, day: number): RegisterTruth {
  return registersAt(world, meter, world.localTime.startOf(day));
}

/** Every capture in [fromMs, toMs], oldest first. */
export function profileTruth(world: World, meter: MeterPlan, profile: ProfileName, fromMs: number, toMs: number): ProfileTruthRow[] {
  const periodMs = profile === 'energy' ? HOUR_MS : SLOT_MS;
  const rows: ProfileTruthRow[] = [];
  const lead = hourLeadMs(world.localTime, fromMs) % periodMs;
  for (let at = Math.ceil((fromMs - lead) / periodMs) * periodMs + lead; at <= toMs; at += periodMs) {
    const stamp = { at: new Date(at).toISOString() };
    const day = localDay(at);
    const slot = (at - dayStart(day)) / SLOT_MS;
    if (profile === 'lpb') {
      const grid = world.gridSeries(meter, day);
      rows.push({
        ...stamp,
        u: grid.voltages.map((values) => round(values[slot] ?? 0, 1)),
        i: grid.currents.map((values) => round(values[slot] ?? 0, 2)),
        i0: round(grid.neutral[slot] ?? 0, 2),
        pf: round(grid.powerFactor[slot] ?? 0, 3),
        pfs: grid.factors.map((values) => round(values[slot] ?? 0, 3)),
      });
      continue;
    }
    const energy = world.energySeries(meter, day);
    const names =
      profile === 'energy' ? (['ePlus', 'eMinus'] as const) : (['ePlus', 'eMinus', 'pPlus', 'pMinus', 'sPlus', 'sMinus'] as const);
    rows.push({ ...stamp, ...Object.fromEntries(names.map((name) => [name, energy[name][slot] ?? 0])) });
  }
  return rows;
}
