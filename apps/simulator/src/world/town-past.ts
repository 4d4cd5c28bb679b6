import { WORDING, type FleetLanguage } from './names.ts';
import type { DcuPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';
import type { World } from './world.ts';

/** About twice a year the connection of a DCU was lost around midnight: power or the cellular network of its street was being repaired. */
const NIGHTS_AWAY_PER_DAY = 0.006;
const BACK_FROM_HOUR = 5;
const BACK_WITHIN_HOURS = 3;
const HOUR_MS = 3_600_000;

/** Milliseconds after local midnight at which a DCU connected that was away in the night before this day; undefined: it was connected. */
export function awayForMs({ plan }: Pick<World, 'plan'>, { index, isAbsent }: DcuPlan, day: number): number | undefined {
  const stream = streamOf(plan.seed, 'nights away') ^ index;
  if (isAbsent || unitAt(stream, day) >= NIGHTS_AWAY_PER_DAY) return undefined;
  return Math.floor((BACK_FROM_HOUR + BACK_WITHIN_HOURS * unitAt(stream, day, 1)) * HOUR_MS);
}

/** Duties in the control room of the utility. */
const DUTIES = ['operator', 'relief', 'data', 'network', 'firmware', 'auditor'] as const;

export interface StaffMember {
  duty: (typeof DUTIES)[number];
  name: string;
  /** The only transformer this person works for; null: the whole network. */
  transformerCode: string | null;
}

/** The staff of the utility. */
export function staffOf({ plan }: Pick<World, 'plan'>, language: FleetLanguage): StaffMember[] {
  const stream = streamOf(plan.seed, 'staff');
  const names = new Set<string>();
  for (let index = 0; names.size < DUTIES.length; index++) names.add(WORDING[language].person(stream, index));
  const drawn = [...names];
  return DUTIES.map((duty, at) => ({
    duty,
    name: drawn[at] ?? '',
    transformerCode: duty === 'network' ? (plan.transformers[0]?.code ?? null) : null,
  }));
}
