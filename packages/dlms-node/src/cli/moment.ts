import { toEpochMs, type CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import { UsageError } from './usage-error.ts';

const two = (value: number | null): string => (value === null ? '**' : String(value).padStart(2, '0'));

/** UTC when the deviation is specified, local time otherwise; `**` for unspecified fields. */
export function momentText(moment: CosemDateTime): string {
  const epochMs = moment.deviationMinutes === null ? null : toEpochMs(moment);
  if (epochMs !== null) return new Date(epochMs).toISOString().replace('.000Z', 'Z');
  const { year, month, day, hour, minute, second } = moment;
  return `${year === null ? '****' : String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?(Z|[+-]\d{2}:\d{2})?$/;

/** The deviation (UTC minus local time) in minutes of an ISO 8601 offset. */
function deviationOf(zone: string | undefined): number | null {
  if (zone === undefined) return null;
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return zone.startsWith('+') ? -minutes : minutes;
}

/** Parses a date-time: `2026-01-31`, `2026-01-31T12:00`, with an offset or in local time of the meter. Throws `UsageError`. */
export function momentOf(name: string, text: string): CosemDateTime {
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = MOMENT.exec(text) ?? [];
  const exists = Number.isFinite(Date.parse(`${year}-${month}-${day}T00:00:00Z`));
  if (year === undefined || !exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    throw new UsageError(`${name}: "${text}" is not a date-time`, 'write 2026-01-31T12:00, optionally followed by Z or +08:00');
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    dayOfWeek: null,
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    hundredths: 0,
    deviationMinutes: deviationOf(zone),
    status: 0,
  };
}
