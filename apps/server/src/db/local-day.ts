import type { LocalHour } from '@hes/contract/schedule/local-day.ts';
import { sql, type RawBuilder } from 'kysely';

/**
 * SQL for the first instant of a local day; equals `Zone` of the contract. Where clocks go back over midnight (Azores, Havana), `at time
 * zone` alone takes the second midnight; one second before it is unambiguous.
 */
export const startOfLocalDay = (day: string, zone: string): string =>
  `least((${day})::timestamp at time zone ${zone}, ((${day})::timestamp - interval '1 second') at time zone ${zone} + interval '1 second')`;

/** The same for Kysely queries. */
export const localDayBegins = (day: RawBuilder<unknown>, zone: string): RawBuilder<Date> =>
  sql<Date>`least((${day})::timestamp at time zone ${zone}, ((${day})::timestamp - interval '1 second') at time zone ${zone} + interval '1 second')`;

/** First instant of a range of local days, and the first instant after it. */
export const localDays = ({ from, to }: { from: string; to: string }, zone: string) => ({
  begins: localDayBegins(sql`${from}::date`, zone),
  ends: localDayBegins(sql`${to}::date + 1`, zone),
});

/** Hours of a range of local days: 24 per day, one fewer or more where clocks change. */
export function hoursBetween(range: { from: string; to: string }, zone: string): RawBuilder<number> {
  const { begins, ends } = localDays(range, zone);
  return sql<number>`(extract(epoch from ${ends} - ${begins}) / 3600)::numeric`;
}

/** Local hours as an SQL table (begin, end), because `generate_series` does not follow the hours of a zone. */
export const hoursTable = (hours: readonly LocalHour[]) =>
  sql`unnest(${hours.map(({ from }) => new Date(from))}::timestamptz[], ${hours.map(({ to }) => new Date(to))}::timestamptz[])`;
