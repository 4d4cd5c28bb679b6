import { completenessByDay, localDay } from '#modules/reading/reading/api.ts';
import { findRunningTasks } from '#modules/task/task/api.ts';
import type { Context, User } from '#platform/context.ts';
import { countDcus, countMeters, countTransformers, countValues24h, heatOfDay, loadOfDay, worstDcus } from './queries.ts';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 7;
const SLOT_MS = 900_000;

/** The whole fleet in one answer: every figure from counters or from small indexed reads, none by scanning readings. */
export async function summarise(ctx: Context, user: User, node: string | undefined) {
  const { db, settings } = ctx;
  const now = ctx.clock.now();
  const { timeZone } = settings;
  const today = localDay(now, timeZone);
  const yesterday = localDay(now - DAY_MS, timeZone);
  const week = { from: localDay(now - (DAYS_SHOWN - 1) * DAY_MS, timeZone), to: today, node };
  const since = new Date(now - DAY_MS);

  const [transformers, dcus, meters, daily, lpa, loadToday, loadYesterday, runningTasks, valuesStored24h, worst, heat] = await Promise.all([
    countTransformers(db, user, node),
    countDcus(db, user, node),
    countMeters(db, user, node),
    completenessByDay(ctx, user, { ...week, profile: 'daily' }),
    completenessByDay(ctx, user, { ...week, profile: 'lpa' }),
    loadOfDay(db, user, node, today, timeZone),
    loadOfDay(db, user, node, yesterday, timeZone),
    findRunningTasks(db, user),
    countValues24h(db, user),
    worstDcus(db, user, since, DAY_MS / SLOT_MS),
    heatOfDay(db, user, today, timeZone),
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
