import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createBus } from '#platform/bus.ts';
import { silentLog } from '#platform/log.ts';
import { ReadingWriter } from '#storage/writer.ts';
import { findAnchors, findStored } from './anchor-queries.ts';

const ZONE = 'Asia/Shanghai';
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const DAY = Math.floor(Date.now() / DAY_MS) - 2;
const MIDNIGHT = DAY * DAY_MS;
/** Midnight of the freeze in the zone of the utility, eight hours before that of UTC. */
const FREEZE_AT = MIDNIGHT - 8 * 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  const writer = new ReadingWriter({
    pool: database.pool,
    clock: { now: () => Date.now() },
    log: silentLog,
    bus: createBus(),
    settings: { timeZone: ZONE },
  });
  const origin = { meterId: '1', dcuId: '1', readAt: Date.now(), source: 'meter', traceId: undefined } as const;
  const channels = CHANNELS.map((_, channel) => (channel === 0 ? Float64Array.of(10, 20, Number.NaN) : undefined));
  const stamps = Float64Array.from([0, 1, 2], (slot) => MIDNIGHT + slot * QUARTER_MS);
  await Promise.all([
    writer.storeProfile({ ...origin, profile: 'lpa', periodSeconds: 900, stamps, status: undefined, channels }, true),
    writer.storeDaily([
      {
        ...origin,
        freezeDay: DAY,
        registers: [70_000, ...DAILY_REGISTERS.slice(1).map(() => Number.NaN)],
        statusWord: undefined,
        deviceTime: undefined,
      },
    ]),
  ]);
  await writer.stop();
});
afterAll(() => database.drop());

const lpa = (from: number, to: number) => ({ meterId: '1', profile: 'lpa', from, to }) as const;
const daily = (from: number, to: number) => ({ meterId: '1', profile: 'daily', from, to }) as const;
const shown = (anchors: readonly (Awaited<ReturnType<typeof findStored>>[number] | undefined)[]) =>
  anchors.map((anchor) => anchor && [anchor.at, anchor.periodMs, anchor.values[0], anchor.values[1]]);

test('the newest row of each query is found in the order of the queries, both ends included', async () => {
  const queries = [
    daily(FREEZE_AT, FREEZE_AT),
    lpa(MIDNIGHT, MIDNIGHT + QUARTER_MS),
    lpa(MIDNIGHT, MIDNIGHT + QUARTER_MS - 1),
    daily(FREEZE_AT + 1, FREEZE_AT + DAY_MS - 1),
    { ...lpa(MIDNIGHT, MIDNIGHT + DAY_MS), meterId: '2' },
    lpa(MIDNIGHT, MIDNIGHT + DAY_MS),
  ];
  expect(shown(await findAnchors(database.pool, queries, ZONE))).toEqual([
    [FREEZE_AT, DAY_MS, 70_000, null],
    [MIDNIGHT + QUARTER_MS, QUARTER_MS, 20, null],
    [MIDNIGHT, QUARTER_MS, 10, null],
    undefined,
    undefined,
    [MIDNIGHT + 2 * QUARTER_MS, QUARTER_MS, null, null],
  ]);
});

test('all stored rows between two times are found, oldest first', async () => {
  expect(shown(await findStored(database.pool, lpa(MIDNIGHT, MIDNIGHT + QUARTER_MS), ZONE))).toEqual([
    [MIDNIGHT, QUARTER_MS, 10, null],
    [MIDNIGHT + QUARTER_MS, QUARTER_MS, 20, null],
  ]);
  expect(shown(await findStored(database.pool, daily(FREEZE_AT, FREEZE_AT), ZONE))).toEqual([[FREEZE_AT, DAY_MS, 70_000, null]]);
  const monthly = { ...daily(FREEZE_AT, FREEZE_AT), profile: 'monthly' } as const;
  expect(await findStored(database.pool, monthly, ZONE)).toHaveLength(1);
});

test('the tables of profiles and of freezes are read only for queries of their kind', async () => {
  const asked: string[] = [];
  const pool = { query: ({ name }: { name: string }) => Promise.resolve({ rows: [], asked: asked.push(name) }) } as unknown as Pool; // as: only `query` is called
  expect(await findAnchors(pool, [], ZONE)).toEqual([]);
  expect(asked).toEqual([]);
  expect(await findAnchors(pool, [lpa(0, 1)], ZONE)).toEqual([undefined]);
  expect(asked).toEqual(['newest_captures']);
  expect(await findAnchors(pool, [daily(0, 1)], ZONE)).toEqual([undefined]);
  expect(asked).toEqual(['newest_captures', 'newest_freezes']);
});
