import { say, type Locale } from './text.ts';

/** Units that a list, a file or a field of the API may show. Counts and ratios have none. */
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

/** `Total Active Energy + (kWh)`: the heading of a column names the unit of its values. A name that already ends with it stays as it is. */
export const headed = (name: string, unit?: string): string =>
  unit === undefined || unit === '' || name.endsWith(`(${unit})`) ? name : `${name} (${unit})`;

const OFFSET = { en: '{label} (UTC offset)', zh: '{label}（UTC偏移）' };
const MINUTE_MS = 60_000;

/** Heading of the column beside a local time. */
export const offsetHeading = (label: string, locale: Locale): string => say(OFFSET, locale, { label });

/** `+08:00`: what has to be subtracted from a local time to get UTC. */
export function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Base units of DLMS that are shown in thousands. Values of a column and its heading are converted by the same entry. */
const THOUSANDS: Record<string, Unit> = { Wh: 'kWh', varh: 'kvarh', VAh: 'kVAh', W: 'kW', var: 'kvar', VA: 'kVA' };
const WITHOUT_SCALER_DECIMALS = 3;

export interface ShownValue {
  value: number;
  unit: string;
  decimals: number;
}

/** A register value in the unit that screen and file show, with every decimal that its scaler gives. */
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
