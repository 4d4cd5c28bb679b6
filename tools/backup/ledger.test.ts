import { expect, test } from 'vitest';
import { judgeRestored } from './ledger.ts';

const restored = (ids: number[], counter: number) => ({
  query: (text: string) =>
    Promise.resolve({ rows: text.includes('promise') ? ids.map((id) => ({ id: String(id) })) : [{ writer: 0, value: String(counter) }] }),
});
const row = (id: number, ackedMs: number) => ({ id, writer: 0, counter: id, sentMs: ackedMs - 5, ackedMs });
const promised = { rows: [row(1, 100), row(2, 200), row(3, 300)], sent: new Map([1, 2, 3, 4].map((id) => [id, id * 100 - 5])) };
// as: the judge reads rows only.
const judge = (ids: number[], counter: number) => judgeRestored(restored(ids, counter) as never, promised, 250);

test('a database with everything acknowledged before the instant and nothing sent after it keeps its promises', async () => {
  expect(await judge([1, 2], 2)).toEqual({ rows: 2, violations: [] });
});

test('a missing row, a row of a later time and a counter that lags are violations', async () => {
  expect((await judge([1, 4], 1)).violations).toEqual([
    'row 2, acknowledged 50 ms before, is missing',
    'row 4 was sent after the instant, and is there',
    'the counter of writer 0 lags behind 2',
  ]);
});
