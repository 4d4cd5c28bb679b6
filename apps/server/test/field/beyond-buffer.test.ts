import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldBench, type Bench } from './field-bench.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const OFFSET_MS = 8 * 3_600_000;

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
});
afterAll(() => bench.close());

/** Midnight that begins a day, in the zone of the bench. */
const midnight = (daysBack: number): number => Math.floor((Date.now() + OFFSET_MS) / DAY_MS - daysBack) * DAY_MS - OFFSET_MS;
const dayText = (at: number): string => new Date(at + OFFSET_MS).toISOString().slice(0, 10);

test('an order returns rows of its days only: none of a day before the buffer, and what is left of the day at its end', async () => {
  const { dcuId, meters, meterIds } = await bench.register('TINYDCU061', 1);
  const oldest = midnight(20) + 18 * 4 * QUARTER_MS;
  Object.assign(meters[0] ?? {}, { beginsAt: oldest });
  const headEnd = await bench.headEnd();
  headEnd.dial('TINYDCU061', meters);
  const read = async (at: number) => {
    const { ended, id } = await headEnd.order({
      kind: 'lpa',
      source: 'user',
      priority: 5,
      params: { from: dayText(at), to: dayText(at), store: true, source: 'meter' },
      items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
    });
    const [end] = await ended;
    const { rows } = await bench.database.pool.query<{ rows: number | null }>(
      "select (result ->> 'rows')::int as rows from task_item where task_id = $1",
      [id],
    );
    return { state: end?.state, reason: end?.reason, rows: rows[0]?.rows ?? 0 };
  };
  expect(await read(midnight(21))).toEqual({ state: 'read_fail', reason: 'NO_DATA', rows: 0 });
  expect(await read(midnight(20))).toEqual({ state: 'read_success', reason: null, rows: 24 });
  const { rows: stored } = await bench.database.pool.query<{ first: string; slots: number }>(
    `select min(extract(epoch from r.day) * 1000 + (k - 1) * r.period_s * 1000) as first, count(*)::int as slots
     from reading_profile r, generate_subscripts(r.status, 1) k where meter_id = $1 and profile = 'lpa' and r.status[k] is not null`,
    [meterIds[0]],
  );
  expect(stored.map(({ first, slots }) => [Number(first), slots])).toEqual([[oldest, 24]]);
  await headEnd.stop();
});
