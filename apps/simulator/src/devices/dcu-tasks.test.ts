import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { expect, test } from 'vitest';
import { createWorld } from '#world/world.ts';
import { createDcuArchive } from './dcu-archive.ts';
import { CACHED_DAILY, createDcuCache } from './dcu-cache.ts';
import { INTERVAL_CACHES } from './dcu-interval-cache.ts';
import { createDcuTasks, type TaskEntry } from './dcu-tasks.ts';
import { initialArchive } from './initial-archive.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAY_S = DAY_MS / 1000;
const METERS = 6;
const CACHED = new Map(INTERVAL_CACHES.map(({ source, instance }) => [source, instance]));

function bench() {
  const world = createWorld(1, { dcus: 1, metersPerDcu: METERS });
  const [plan] = world.plan.dcus;
  if (plan === undefined) throw new Error('No DCU');
  const local = world.localTime;
  // Ten minutes after midnight: before the DCU's own daily collection.
  const clock = { at: local.startOf(local.dayOf(Date.parse('2026-05-10T12:00:00Z'))) + 10 * MINUTE_MS };
  const context = { world, now: () => clock.at, channel: 'fast' as const };
  const archive = createDcuArchive(plan, initialArchive(world, plan, world.metersOf(plan)));
  const tasks = createDcuTasks(context);
  const cache = createDcuCache(context, plan, { archive, tasks });
  const daily = (change: Partial<TaskEntry> = {}): TaskEntry => ({
    taskId: 40_000,
    start: fromEpochMs(clock.at - DAY_MS, 0),
    periodSeconds: DAY_S,
    objects: [{ classId: 7, instance: WELL_KNOWN.DAILY.instance, attributeId: 2, dataIndex: 0 }],
    depth: 2,
    priority: 5,
    enabled: true,
    ...change,
  });
  return { clock, tasks, cache, daily, rows: (instance = CACHED_DAILY) => cache.profiles.get(instance)?.held().count };
}

test('a task with a past start runs immediately with its depth, and its rows stay after its removal', () => {
  const { clock, tasks, cache, daily, rows } = bench();
  cache.clear();
  expect(rows()).toBe(0);
  expect(tasks.insert(0, daily())).toBeUndefined();
  clock.at += MINUTE_MS;
  const read = rows();
  expect(read).toBeGreaterThan(METERS);
  expect(read).toBeLessThanOrEqual(2 * (METERS + 1));
  expect(tasks.remove(1, 1)).toBeUndefined();
  expect(rows()).toBe(read);
});

test('a task for billing periods caches as many month ends as its depth, as freezes', () => {
  const { clock, tasks, cache, daily, rows } = bench();
  cache.clear();
  const monthly = [{ classId: 7, instance: WELL_KNOWN.MONTHLY.instance, attributeId: 2, dataIndex: 0 }];
  tasks.insert(0, daily({ objects: monthly, depth: 1 }));
  clock.at += MINUTE_MS;
  const last = rows() ?? 0;
  expect(last).toBeGreaterThan(METERS - 2);
  expect(last).toBeLessThanOrEqual(METERS + 1);
  tasks.insert(0, daily({ taskId: 2, objects: monthly, depth: 2 }));
  clock.at += MINUTE_MS;
  const held = cache.profiles.get(CACHED_DAILY)?.held();
  const moments = new Set(Array.from({ length: held?.count ?? 0 }, (_, position) => held?.at(position)));
  const firsts = ['2026-04-01', '2026-05-01'].map((day) => Date.parse(`${day}T00:00:00+08:00`));
  expect([...moments]).toEqual(firsts);
});

test('a task for a load profile caches as many intervals as its depth, in chronological order', () => {
  const { clock, tasks, cache, daily, rows } = bench();
  const cached = CACHED.get(WELL_KNOWN.LPA.instance);
  expect(rows(cached)).toBe(0);
  tasks.insert(0, daily({ depth: 8, objects: [{ classId: 7, instance: WELL_KNOWN.LPA.instance, attributeId: 2, dataIndex: 0 }] }));
  clock.at += MINUTE_MS;
  const read = rows(cached) ?? 0;
  expect(read % 8).toBe(0);
  expect(read).toBeGreaterThan(8 * (METERS - 2));
  expect(read).toBeLessThanOrEqual(8 * (METERS + 1));
  const held = cache.profiles.get(cached ?? CACHED_DAILY)?.held();
  const moments = Array.from({ length: read }, (_, position) => held?.at(position) ?? 0);
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
  expect(new Set(moments).size).toBe(8);
  expect(clock.at - Math.max(...moments)).toBeLessThan(15 * MINUTE_MS);
  expect(rows(CACHED.get(WELL_KNOWN.LPB.instance))).toBe(0);
});

test('a task for another object, or a disabled one, fills no cache', () => {
  const { clock, tasks, cache, daily, rows } = bench();
  cache.clear();
  tasks.insert(0, daily({ enabled: false }));
  tasks.insert(0, daily({ taskId: 2, objects: [{ classId: 7, instance: WELL_KNOWN.LPA.instance, attributeId: 2, dataIndex: 0 }] }));
  clock.at += MINUTE_MS;
  expect(rows()).toBe(0);
});

test('a task runs at its period, or once without one, and task ids are unique', () => {
  const { clock, tasks, daily } = bench();
  const { instance } = WELL_KNOWN.DAILY;
  tasks.insert(0, daily({ start: fromEpochMs(clock.at + MINUTE_MS, 0) }));
  expect(tasks.insert(0, daily())).toBe('duplicate');
  tasks.insert(0, daily({ taskId: 2, periodSeconds: 0, start: fromEpochMs(clock.at + MINUTE_MS, 0) }));
  expect(tasks.readingsOf(instance)).toEqual([]);
  clock.at += 3 * DAY_MS;
  expect(tasks.readingsOf(instance)).toHaveLength(4);
});
