import { say, type Locale } from './text.ts';

/** Units of lists, files and API fields. Counts and ratios have none. */
export const UNITS = [
  'kWh',
  'kvarh',
  'kVAh',
  'kW',
  'kvar',
  'kVA',
  'W',
  'V',
  'A',
  'Hz',
  '%',
  'd',
  'h',
  'min',
  's',
  'ms',
  'B',
  'B/s',
  'kB',
  'dB',
  'dBm',
  '°',
  'm',
] as const;
export type Unit = (typeof UNITS)[number];

/** Column heading with its unit, as in `Total Active Energy + (kWh)`; unchanged if it already ends with the unit. */
export const headed = (name: string, unit?: string): string =>
  unit === undefined || unit === '' || name.endsWith(`(${unit})`) ? name : `${name} (${unit})`;

const OFFSET = { en: '{label} (UTC offset)', zh: '{label}（UTC偏移）' };
const MINUTE_MS = 60_000;

/** Heading of the UTC offset column that accompanies local times. */
export const offsetHeading = (label: string, locale: Locale): string => say(OFFSET, locale, { label });

/** UTC offset such as `+08:00`; local time minus offset is UTC. */
export function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** DLMS base units that are shown in thousands; values and heading of a column are converted by the same entry. */
const THOUSANDS: Record<string, Unit> = { Wh: 'kWh', varh: 'kvarh', VAh: 'kVAh', W: 'kW', var: 'kvar', VA: 'kVA' };
const WITHOUT_SCALER_DECIMALS = 3;

export interface ShownValue {
  value: number;
  unit: string;
  decimals: number;
}

/** Register value in the displayed unit, with all decimals of its scaler. */
export function shownValue(value: number, unit: string, scaler: number | null): ShownValue {
  const thousands = THOUSANDS[unit];
  if (scaler === null) {
    const shown = thousands === undefined ? value : value / 1000;
    return { value: shown, unit: thousands ?? unit, decimals: WITHOUT_SCALER_DECIMALS };
  }
  return thousands === undefined
    ? { value, unit, decimals: Math.max(0, -scaler) }
    : { value: value / 1000, unit: thousands, decimals: Math.max(0, 3 - scaler) };
}
