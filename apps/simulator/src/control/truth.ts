import { SLOT_MS, dayStart, localDay } from '#world/calendar.ts';
import { hourLeadMs } from '#world/local-time.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { Tariff, World } from '#world/world.ts';
import { AVERAGE_CHANNELS, gridChannelsOf, type ProfileChannel } from '#devices/meter-profiles.ts';
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

/** Captured quantities by their keys in the API of the head-end: Wh, W, VA, V, A; in the resolution of the meter. */
export type ProfileTruthRow = { at: string } & Record<string, number | string>;

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

const valuesAt = <Series>(channels: readonly ProfileChannel<Series>[], series: Series, slot: number): Record<string, number> =>
  Object.fromEntries(channels.map(({ key, decimals, valuesOf }) => [key, round(valuesOf(series)?.[slot] ?? 0, decimals)]));

interface CapturedDay {
  world: World;
  meter: MeterPlan;
  profile: ProfileName;
  day: number;
}

function capturedAt({ world, meter, profile, day }: CapturedDay, slot: number): Record<string, number> {
  if (profile === 'lpb') return valuesAt(gridChannelsOf({ plan: meter }), world.gridSeries(meter, day), slot);
  const energy = world.energySeries(meter, day);
  const registers = { ePlus: energy.ePlus[slot] ?? 0, eMinus: energy.eMinus[slot] ?? 0 };
  return profile === 'energy' ? registers : { ...registers, ...valuesAt(AVERAGE_CHANNELS, energy, slot) };
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
    rows.push({ ...stamp, ...capturedAt({ world, meter, profile, day }, slot) });
  }
  return rows;
}
