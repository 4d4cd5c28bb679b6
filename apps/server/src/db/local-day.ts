import type { LocalHour } from '@hes/contract/schedule/local-day.ts';
import { sql, type RawBuilder } from 'kysely';

/**
 * The first instant of a local day, in SQL over a date and a zone. `at time zone` alone takes the second of two
 * midnights where clocks go back over midnight (Azores, Havana), which would leave an hour in the day before; a second before midnight
 * is certain there. `Zone` of the contract answers the same.
 */
export const startOfLocalDay = (day: string, zone: string): string =>
  `least((${day})::timestamp at time zone ${zone}, ((${day})::timestamp - interval '1 second') at time zone ${zone} + interval '1 second')`;

/** The same for queries in pieces. */
export const localDayBegins = (day: RawBuilder<unknown>, zone: string): RawBuilder<Date> =>
  sql<Date>`least((${day})::timestamp at time zone ${zone}, ((${day})::timestamp - interval '1 second') at time zone ${zone} + interval '1 second')`;

/** The instants between which a range of local days lies; the second is not part of it. */
export const localDays = ({ from, to }: { from: string; to: string }, zone: string) => ({
  begins: localDayBegins(sql`${from}::date`, zone),
  ends: localDayBegins(sql`${to}::date + 1`, zone),
});

/** The hours of a range of local days: 24 a day, one less or more where clocks change. */
export function hoursBetween(range: { from: string; to: string }, zone: string): RawBuilder<number> {
  const { begins, ends } = localDays(range, zone);
  return sql<number>`(extract(epoch from ${ends} - ${begins}) / 3600)::numeric`;
}

/** Hours as a table of SQL, `hour` to `ends`: the database's own steps of an hour do not begin where those of a zone do. */
export const hoursTable = (hours: readonly LocalHour[]) =>
  sql`unnest(${hours.map(({ from }) => new Date(from))}::timestamptz[], ${hours.map(({ to }) => new Date(to))}::timestamptz[])`;
