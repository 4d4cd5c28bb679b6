import type { Text } from '@hes/contract/core/text.ts';
import {
  CHANNELS,
  DAILY_REGISTERS,
  REGISTER_DECIMALS,
  REGISTER_UNIT,
  type ChannelKey,
  type RegisterKey,
} from '@hes/contract/reading/quantities.ts';
import type { CountedProfile, DailyRow, ProfileName, ProfileRow } from '@hes/contract/reading/reading.ts';
import type { Series } from '#kit/chart/line-chart.tsx';

export type Kind = CountedProfile;
export const KINDS: readonly Kind[] = ['daily', 'energy', 'lpa', 'lpb', 'monthly'];
export type Row = DailyRow | ProfileRow;

export type ValueKey = ChannelKey | RegisterKey;

interface Item {
  key: ValueKey;
  label: Text;
  unit: string;
  decimals: number;
}

const registers = (direction: 'ePlus' | 'eMinus'): Item[] =>
  DAILY_REGISTERS.filter(({ key }) => key.startsWith(direction)).map(({ key, label }) => ({
    key,
    label,
    unit: REGISTER_UNIT,
    decimals: REGISTER_DECIMALS,
  }));
const REGISTERS = [...registers('ePlus'), ...registers('eMinus')];

const channelsOf = (isOf: (channel: (typeof CHANNELS)[number]) => boolean): Item[] =>
  CHANNELS.filter(isOf).map(({ key, label, unit = '', decimals }) => ({ key, label, unit, decimals }));
const capturedIn = (profile: ProfileName): Item[] => channelsOf(({ profiles }) => profiles.some((name) => name === profile));
const chartedIn = (profile: ProfileName): Item[] => channelsOf(({ charts }) => charts.some((name) => name === profile));

/** The items of each kind of data, in display order. */
export const ITEMS: Record<Kind, Item[]> = {
  daily: REGISTERS,
  monthly: REGISTERS,
  energy: capturedIn('energy'),
  lpa: capturedIn('lpa'),
  lpb: capturedIn('lpb'),
};

const COLOURS: readonly Series['colour'][] = ['primary', 'teal', 'violet'];

interface ChartSpec {
  unit: string;
  decimals: number;
  lines: (Item & { colour: Series['colour'] })[];
}

/** Curves of one unit on one axis; energies with two decimals, because their axis is long. */
function chartOf(items: readonly Item[], decimals = items[0]?.decimals ?? 0): ChartSpec {
  const lines = items.map((item, index) => ({ ...item, colour: COLOURS[index % COLOURS.length] ?? 'primary' }));
  return { unit: items[0]?.unit ?? '', decimals, lines };
}
const ENERGIES = chartOf(chartedIn('energy'), 2);

export const CHARTS: Record<Kind, ChartSpec> = {
  daily: ENERGIES,
  monthly: ENERGIES,
  energy: ENERGIES,
  lpa: chartOf(chartedIn('lpa')),
  lpb: chartOf(chartedIn('lpb')),
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
