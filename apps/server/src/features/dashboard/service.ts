import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { holderOf } from '#db/scope.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { completenessByDay } from '#features/readings/port.ts';
import { lastEmergency } from '#features/people/port.ts';
import { findRunningTasks } from '#features/tasks/port.ts';
import type { Context, User } from '#db/context.ts';
import { dayNumberOf, dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { DEMO_SETTING, findSetting } from '#db/settings.ts';
import { fillingOf } from './filling.ts';
import { spanOf } from './span.ts';
import { countDcus, countMeters, countTransformers, countValues24h, firstDeviceMs, heatOfDay, loadOfDay, worstDcus } from './queries.ts';

const DAYS_SHOWN = 7;
const SLOT_MS = 900_000;

/** Whether a user may know who signed in: those who manage users or read the audit log. */
const seesSignIns = (user: User): boolean => [PAGE_PATH.users, PAGE_PATH.audit].some((page) => holderOf(user, page, 'view') !== undefined);

/** Summary of the whole fleet. Every figure comes from counters or small indexed reads; none scans readings. */
export async function summarise(ctx: Context, user: User, { node, date }: { node?: NodeKey | undefined; date?: string | undefined }) {
  const { db, settings } = ctx;
  const now = ctx.clock.now();
  const { timeZone } = settings;
  const zone = new Zone(timeZone);
  const day = date === undefined ? zone.dayOf(now) : dayNumberOf(date);
  const week = { from: dayText(day - DAYS_SHOWN + 1), to: dayText(day), node };
  // The current day uses the last 24 hours, because its own hours are too few for a rate.
  const span = spanOf(ctx, date);
  const slots = Math.ceil((span.until.getTime() - span.since.getTime()) / SLOT_MS);

  const [
    transformers,
    dcus,
    meters,
    daily,
    lpa,
    loadToday,
    loadYesterday,
    runningTasks,
    valuesStored24h,
    worst,
    heat,
    firstMs,
    demo,
    emergency,
  ] = await Promise.all([
    countTransformers(db, user, node),
    countDcus(db, user, node),
    countMeters(db, user, node),
    completenessByDay(ctx, user, { ...week, profile: 'daily' }),
    completenessByDay(ctx, user, { ...week, profile: 'lpa' }),
    loadOfDay(db, user, node, { day, zone }),
    loadOfDay(db, user, node, { day: day - 1, zone }),
    findRunningTasks(db, user),
    countValues24h(db, user),
    worstDcus(db, user, span, slots),
    heatOfDay(db, user, { day, zone }),
    firstDeviceMs(db),
    findSetting(db, DEMO_SETTING),
    seesSignIns(user) ? lastEmergency(ctx) : null,
  ]);

  // A chosen day is over: what it lacks are gaps.
  const filling =
    date === undefined ? fillingOf({ nowMs: now, firstDeviceMs: firstMs, days: [...daily, ...lpa], meters: meters.byInventory }) : null;

  return {
    at: new Date(now).toISOString(),
    isDemonstration: demo === true,
    transformers,
    dcus: { total: dcus.total, byStatus: dcus.byStatus },
    meters: { total: meters.total, byInventory: meters.byInventory, plc: meters.plc, rf: meters.rf, direct: meters.direct },
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
    emergency,
    filling: filling && { ...filling, isDemonstration: demo === true },
  };
}
