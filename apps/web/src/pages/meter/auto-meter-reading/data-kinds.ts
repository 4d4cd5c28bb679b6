import type { CountedProfile, DailyRow, ProfileRow } from '@hes/contract/reading/reading.ts';
import type { Series } from '#shared/chart/line-chart.tsx';
import type { messages } from './messages.ts';

export type Kind = CountedProfile;
export const KINDS: readonly Kind[] = ['daily', 'energy', 'lpa', 'lpb', 'monthly'];
export type Row = DailyRow | ProfileRow;

type NumericKey<R> = { [K in keyof R]: R[K] extends number | null ? K : never }[keyof R];
export type ValueKey = Exclude<NumericKey<DailyRow> | NumericKey<ProfileRow>, 'statusWord'> & keyof typeof messages;

interface Item {
  key: ValueKey;
  unit: string;
  decimals: number;
}

const energy = (key: ValueKey): Item => ({ key, unit: 'kWh', decimals: 3 });
const item = (key: ValueKey, unit: string, decimals: number): Item => ({ key, unit, decimals });

const REGISTERS = (
  ['ePlus', 'ePlusT1', 'ePlusT2', 'ePlusT3', 'ePlusT4', 'eMinus', 'eMinusT1', 'eMinusT2', 'eMinusT3', 'eMinusT4'] as const
).map(energy);

/** The items of each kind of data, in display order. */
export const ITEMS: Record<Kind, Item[]> = {
  daily: REGISTERS,
  monthly: REGISTERS,
  energy: (['ePlus', 'eMinus'] as const).map(energy),
  lpa: [
    energy('ePlus'),
    energy('eMinus'),
    item('pAvgPlus', 'kW', 3),
    item('pAvgMinus', 'kW', 3),
    item('sAvgPlus', 'kVA', 3),
    item('sAvgMinus', 'kVA', 3),
  ],
  lpb: [
    item('u1', 'V', 1),
    item('u2', 'V', 1),
    item('u3', 'V', 1),
    item('i1', 'A', 2),
    item('i2', 'A', 2),
    item('i3', 'A', 2),
    item('i0', 'A', 2),
    item('pf', '', 3),
    item('pf1', '', 3),
    item('pf2', '', 3),
    item('pf3', '', 3),
  ],
};

interface ChartSpec {
  unit: string;
  decimals: number;
  lines: { key: ValueKey; colour: Series['colour'] }[];
}

const ENERGIES: ChartSpec = {
  unit: 'kWh',
  decimals: 2,
  lines: [
    { key: 'ePlus', colour: 'primary' },
    { key: 'eMinus', colour: 'teal' },
  ],
};

/** The items of the chart: one unit on one axis. */
export const CHARTS: Record<Kind, ChartSpec> = {
  daily: ENERGIES,
  monthly: ENERGIES,
  energy: ENERGIES,
  lpa: {
    unit: 'kW',
    decimals: 3,
    lines: [
      { key: 'pAvgPlus', colour: 'primary' },
      { key: 'pAvgMinus', colour: 'teal' },
    ],
  },
  lpb: {
    unit: 'V',
    decimals: 1,
    lines: [
      { key: 'u1', colour: 'primary' },
      { key: 'u2', colour: 'teal' },
      { key: 'u3', colour: 'violet' },
    ],
  },
};

const NO_TRACE = 'none ';

/** A value by name; null for columns that the kind of data does not have. */
export const valueOf = (row: Row, key: ValueKey): number | null => (row as Partial<Record<ValueKey, number | null>>)[key] ?? null; // both rows are flat records of these keys

export const isDaily = (row: Row): row is DailyRow => 'freezeDate' in row;
/** The time of the value, for a chart. */
export const secondsOf = (row: Row): number => Date.parse(isDaily(row) ? `${row.freezeDate}T00:00:00Z` : row.ts) / 1000;
/** Identifies a row in the address while its frames are shown: by its trace or, without one, by its key. */
export const traceKey = (row: Row): string => row.traceId ?? `${NO_TRACE}${rowKey(row)}`;
export const traceOf = (key: string | undefined): string | null => (key === undefined || key.startsWith(NO_TRACE) ? null : key);
export const rowKey = (row: Row): string => `${row.meterId} ${isDaily(row) ? row.freezeDate : row.ts}`;
