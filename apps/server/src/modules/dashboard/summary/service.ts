import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { completenessByDay, localDay } from '#modules/reading/reading/api.ts';
import { findRunningTasks } from '#modules/task/task/api.ts';
import type { Context, User } from '#platform/context.ts';
import { spanOf } from './span.ts';
import { countDcus, countMeters, countTransformers, countValues24h, heatOfDay, loadOfDay, worstDcus } from './queries.ts';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 7;
const SLOT_MS = 900_000;

const daysBefore = (day: string, days: number): string => new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);

/** The whole fleet in one answer: every figure from counters or from small indexed reads, none by scanning readings. */
export async function summarise(ctx: Context, user: User, { node, date }: { node?: NodeKey | undefined; date?: string | undefined }) {
  const { db, settings } = ctx;
  const now = ctx.clock.now();
  const { timeZone } = settings;
  const shown = date ?? localDay(now, timeZone);
  const week = { from: daysBefore(shown, DAYS_SHOWN - 1), to: shown, node };
  // A running day is judged by the 24 hours before: its own few would say nothing.
  const { until } = spanOf(ctx, date);
  const since = new Date(until.getTime() - DAY_MS);

  const [transformers, dcus, meters, daily, lpa, loadToday, loadYesterday, runningTasks, valuesStored24h, worst, heat] = await Promise.all([
    countTransformers(db, user, node),
    countDcus(db, user, node),
    countMeters(db, user, node),
    completenessByDay(ctx, user, { ...week, profile: 'daily' }),
    completenessByDay(ctx, user, { ...week, profile: 'lpa' }),
    loadOfDay(db, user, node, shown, timeZone),
    loadOfDay(db, user, node, daysBefore(shown, 1), timeZone),
    findRunningTasks(db, user),
    countValues24h(db, user),
    worstDcus(db, user, { since, until }, DAY_MS / SLOT_MS),
    heatOfDay(db, user, shown, timeZone),
  ]);

  return {
    at: new Date(now).toISOString(),
    transformers,
    dcus: { total: dcus.total, byStatus: dcus.byStatus },
    meters: { total: meters.total, byInventory: meters.byInventory, plc: meters.plc, rf: meters.rf },
    freshness: { dcu: dcus.freshness, meter: meters.freshness },
    completeness: daily.map(({ day, got, expected }, i) => ({
      day,
      daily: { got, expected },
      lpa: { got: lpa[i]?.got ?? 0, expected: lpa[i]?.expected ?? 0 },
    })),
    load: { today: loadToday, yesterday: loadYesterday },
    runningTasks,
    valuesStored24h,
    worstDcus: worst,
    heat,
  };
}
