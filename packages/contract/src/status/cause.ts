import type { Text, TextParams } from '../core/text.ts';

/** How well a device is: `unknown` where the stored facts support no judgement. */
export const HEALTHS = ['well', 'attention', 'bad', 'unknown'] as const;
export type Health = (typeof HEALTHS)[number];

/** Parts of a status page; a cause names those that are its evidence. */
export type StatusPart = 'identity' | 'attempts' | 'network' | 'clock' | 'events' | 'gaps' | 'loss' | 'meters' | 'connections';

/** What a status page offers to do next. Each is offered to users who have its right. */
export const STATUS_ACTIONS = [
  'readNow',
  'refill',
  'readings',
  'route',
  'clock',
  'relay',
  'archives',
  'asset',
  'events',
  'dcu',
  'connect',
  'log',
  'loss',
  'anomalies',
] as const;
export type StatusAction = (typeof STATUS_ACTIONS)[number];

/**
 * A cause: a condition over the stored facts, with its sentence. Values whose name ends in `At` are instants, which the reader sees in the
 * time of the utility.
 */
export interface Cause<F> {
  /** Null: the fact is worth knowing, and nothing is wrong. */
  health: Exclude<Health, 'well'> | null;
  applies: (facts: F) => boolean;
  values?: (facts: F) => TextParams;
  sentence: Text;
  todo: Text;
  evidence: readonly StatusPart[];
  actions: readonly StatusAction[];
}

const WORST: readonly Health[] = ['bad', 'attention', 'unknown', 'well'];

/** Codes of the causes that apply, in the order of the table, which begins with those that explain the others. */
export const causesOf = <F, C extends string>(table: Readonly<Record<C, Cause<F>>>, facts: F): C[] =>
  (Object.keys(table) as C[]).filter((code) => table[code].applies(facts)); // as: the keys of that very table

/** The worst of some judgements; `well` without any. */
export const worstHealth = (found: readonly Health[]): Health => WORST.find((health) => found.includes(health)) ?? 'well';

/** The worst judgement among causes; `well` without any. */
export const healthOf = <F, C extends string>(table: Readonly<Record<C, Cause<F>>>, codes: readonly C[]): Health =>
  worstHealth(codes.flatMap((code) => table[code].health ?? []));
