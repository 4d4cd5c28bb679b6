import type { WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { Demand, NumberType, Quantity } from '#behaviours/register.ts';
import type { Width } from '#behaviours/row-writer.ts';
import type { Electric } from '#world/electric.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { Tariff } from '#world/world.ts';
import { alteredNumber, TENS_SCALER } from './alterations.ts';
import type { MeterState } from './meter-state.ts';

const UNIT = { W: 27, VA: 28, var: 29, Wh: 30, A: 33, V: 35, Hz: 44, none: 255 } as const;

type Key = WellKnownKey;
type QuantityOf = (state: MeterState) => Quantity;

/** Master meters count a whole transformer: their registers exceed 32 bits during their lifetime. */
const isWide = (plan: MeterPlan): boolean => plan.kind === 'master';
export const energyWidth = (plan: MeterPlan): Width => (isWide(plan) ? 'u64' : 'u32');

const energy =
  (direction: 'plus' | 'minus', tariff: Tariff): QuantityOf =>
  (state) => {
    const { world, plan, now } = state;
    const altered = state.alterations();
    const instance = `1.0.${direction === 'plus' ? 1 : 2}.8.${tariff}.255`;
    return {
      value: () => alteredNumber(altered, instance, now(), world.register(plan, now(), direction, tariff)),
      type: isWide(plan) ? 'long64Unsigned' : 'doubleLongUnsigned',
      scaler: altered.tensFrom === undefined ? 0 : TENS_SCALER,
      unit: UNIT.Wh,
    };
  };

/** With an open relay there is no current; the voltage is measured on the supply side. */
function seenBy({ world, plan, now, relay }: MeterState): Electric {
  const seen = world.electricAt(plan, now());
  if (relay.state === 'connected' || relay.isWelded === true) return seen;
  return { ...seen, powerW: 0, apparentVa: 0, currents: seen.currents.map(() => 0), neutral: 0 };
}

const instant =
  (type: NumberType, decimals: number, unit: number, of: (seen: Electric) => number | undefined): QuantityOf =>
  (state) => ({
    value: () => Math.round((of(seenBy(state)) ?? 0) * 10 ** decimals),
    type,
    scaler: -decimals,
    unit,
  });

const volts = (phase: number): QuantityOf => instant('longUnsigned', 1, UNIT.V, (seen) => seen.voltages[phase]);
const amperes = (phase: number): QuantityOf => instant('longUnsigned', 2, UNIT.A, (seen) => seen.currents[phase]);
const power = (unit: number, of: (seen: Electric) => number): QuantityOf => instant('doubleLongUnsigned', 0, unit, of);
const phasePower = (phase: number, direction: 1 | -1): QuantityOf =>
  power(UNIT.W, (seen) => {
    const watts = (seen.voltages[phase] ?? 0) * (seen.currents[phase] ?? 0) * (seen.factors[phase] ?? 0);
    return Math.sign(seen.powerW) === direction ? watts : 0;
  });
const factor = (phase: number): QuantityOf => instant('longUnsigned', 3, UNIT.none, (seen) => seen.factors[phase]);
const imported = (seen: Electric): boolean => seen.powerW > 0;
const reactive = (seen: Electric): number => Math.sqrt(Math.max(0, seen.apparentVa ** 2 - seen.powerW ** 2));

const ALWAYS: Partial<Record<Key, QuantityOf>> = {
  E_PLUS: energy('plus', 0),
  E_PLUS_T1: energy('plus', 1),
  E_PLUS_T2: energy('plus', 2),
  E_PLUS_T3: energy('plus', 3),
  E_PLUS_T4: energy('plus', 4),
  E_MINUS: energy('minus', 0),
  E_MINUS_T1: energy('minus', 1),
  E_MINUS_T2: energy('minus', 2),
  E_MINUS_T3: energy('minus', 3),
  E_MINUS_T4: energy('minus', 4),
  U1: volts(0),
  I1: amperes(0),
  P_PLUS: power(UNIT.W, (seen) => Math.max(0, seen.powerW)),
  P_MINUS: power(UNIT.W, (seen) => Math.max(0, -seen.powerW)),
  Q_PLUS: power(UNIT.var, reactive),
  Q_MINUS: power(UNIT.var, () => 0),
  S_PLUS: power(UNIT.VA, (seen) => (imported(seen) ? seen.apparentVa : 0)),
  S_MINUS: power(UNIT.VA, (seen) => (imported(seen) ? 0 : seen.apparentVa)),
  PF: instant('longUnsigned', 3, UNIT.none, (seen) => seen.powerFactor),
  FREQUENCY: instant('longUnsigned', 2, UNIT.Hz, () => 50),
};

const THREE_PHASE_ONLY: Partial<Record<Key, QuantityOf>> = {
  U2: volts(1),
  U3: volts(2),
  P1_PLUS: phasePower(0, 1),
  P2_PLUS: phasePower(1, 1),
  P3_PLUS: phasePower(2, 1),
  P1_MINUS: phasePower(0, -1),
  P2_MINUS: phasePower(1, -1),
  P3_MINUS: phasePower(2, -1),
  PF1: factor(0),
  PF2: factor(1),
  PF3: factor(2),
  I2: amperes(1),
  I3: amperes(2),
  I0: instant('longUnsigned', 2, UNIT.A, (seen) => seen.neutral),
};

/** The registers of a meter, by the key of the catalogue. */
export function registersOf(plan: MeterPlan): [Key, QuantityOf][] {
  const registers = plan.phase === 'abc' ? { ...ALWAYS, ...THREE_PHASE_ONLY } : ALWAYS;
  return Object.entries(registers) as [Key, QuantityOf][]; // as: entries() widens the keys
}

const QUARTER_MS = 900_000;

const demand =
  (direction: 'plus' | 'minus', unit: number): ((state: MeterState) => Demand) =>
  ({ world, plan, now }) => ({
    now,
    unit,
    averageUntil(atMs) {
      const elapsedMs = atMs % QUARTER_MS || QUARTER_MS;
      const watts = world.averagePower(plan, atMs, elapsedMs / 1000, direction);
      return unit === UNIT.W
        ? watts
        : elapsedMs === QUARTER_MS
          ? world.averageApparent(plan, atMs, direction)
          : watts / world.electricAt(plan, atMs).powerFactor;
    },
  });

export const DEMANDS: [Key, (state: MeterState) => Demand][] = [
  ['P_AVG_PLUS', demand('plus', UNIT.W)],
  ['P_AVG_MINUS', demand('minus', UNIT.W)],
  ['S_AVG_PLUS', demand('plus', UNIT.VA)],
  ['S_AVG_MINUS', demand('minus', UNIT.VA)],
  ['P_LAST_AVG_PLUS', demand('plus', UNIT.W)],
  ['P_LAST_AVG_MINUS', demand('minus', UNIT.W)],
  ['S_LAST_AVG_PLUS', demand('plus', UNIT.VA)],
  ['S_LAST_AVG_MINUS', demand('minus', UNIT.VA)],
];
