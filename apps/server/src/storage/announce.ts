import type { ClientBase } from 'pg';
import { pgArrayLiteral } from '#db/pg-array-literal.ts';
import type { DayRow } from './day-rows.ts';
import type { DailyRow } from './staging.ts';

/** Stored readings of one profile, by meter and day. */
interface Announced {
  meterIds: string[];
  days: number[];
  /** First and last slot in seconds after the UTC midnight of the day; zero for freezes. */
  firsts: number[];
  lasts: number[];
}

/** First and last occupied slot of a row, in seconds after its UTC midnight. */
function spanOf({ status, leadSeconds, periodSeconds }: DayRow): { first: number; last: number } {
  const first = status.findIndex((word) => !Number.isNaN(word));
  const last = status.findLastIndex((word) => !Number.isNaN(word));
  return { first: leadSeconds + first * periodSeconds, last: leadSeconds + last * periodSeconds };
}

/** Groups rows by profile, because a row of the outbox has one. */
function groupByProfile(days: readonly DayRow[], daily: readonly Pick<DailyRow, 'meterId' | 'freezeDay'>[]): Map<string, Announced> {
  const groups = new Map<string, Announced>();
  const add = (profile: string, meterId: string, day: number, { first, last }: { first: number; last: number }) => {
    let group = groups.get(profile);
    if (group === undefined) groups.set(profile, (group = { meterIds: [], days: [], firsts: [], lasts: [] }));
    group.meterIds.push(meterId);
    group.days.push(day);
    group.firsts.push(first);
    group.lasts.push(last);
  };
  for (const row of days) add(row.profile, row.meterId, row.day, spanOf(row));
  for (const row of daily) add('daily', row.meterId, row.freezeDay, { first: 0, last: 0 });
  return groups;
}

/**
 * Writes stored readings into the outbox, within their transaction and after their rows: the ids of the outbox then follow the order in which
 * transactions wrote the same meter. Writes nothing while no program follows the readings.
 */
export async function announceReadings(
  client: ClientBase,
  days: readonly DayRow[],
  daily: readonly Pick<DailyRow, 'meterId' | 'freezeDay'>[],
): Promise<void> {
  const groups = [...groupByProfile(days, daily)];
  if (groups.length === 0) return;
  const calls = groups.map((_, index) => {
    const at = (n: number) => `$${index * 5 + n}`;
    return `announce('readings', ${at(1)}::text, ${at(2)}::bigint[], ${at(3)}::int[], ${at(4)}::int[], ${at(5)}::int[])`;
  });
  await client.query({
    name: `announce_readings_${groups.length}`,
    text: `select ${calls.join(', ')}`,
    values: groups.flatMap(([profile, group]) => [
      profile,
      pgArrayLiteral(group.meterIds),
      pgArrayLiteral(group.days),
      pgArrayLiteral(group.firsts),
      pgArrayLiteral(group.lasts),
    ]),
  });
}

/** Writes stored events into the outbox, within their transaction. */
export async function announceEvents(client: ClientBase, ids: readonly string[]): Promise<void> {
  await client.query({ name: 'announce_events', text: "select announce('events', null, $1::bigint[])", values: [pgArrayLiteral(ids)] });
}
