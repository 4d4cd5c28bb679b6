import { expect, test } from 'vitest';
import { proposeMoves, unbalanceOf, type Load, type Loads } from './moves.ts';

const meters = (of: [Load['phase'], number][]): Load[] => of.map(([phase, kw], index) => ({ meterId: String(index), phase, kw }));
const sum = (loads: Loads): number => loads.reduce((total, load) => total + load, 0);

/** Numbers in [0, 1), always the same. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

test('one meter too many on a phase moves to the phase that has least', () => {
  const { before, after, moves } = proposeMoves(
    [0, 0, 0],
    meters([
      ['a', 1],
      ['a', 1],
      ['b', 1],
    ]),
    5,
  );
  expect(before).toEqual([2, 1, 0]);
  expect(moves).toMatchObject([{ from: 'a', to: 'c', unbalancePercent: 0 }]);
  expect(after).toEqual([1, 1, 1]);
});

test('what is balanced is left alone', () => {
  expect(
    proposeMoves(
      [3, 3, 3],
      meters([
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ]),
      5,
    ).moves,
  ).toEqual([]);
  expect(proposeMoves([0, 0, 0], [], 5)).toEqual({ before: [0, 0, 0], after: [0, 0, 0], moves: [] });
});

test('moves never lose a load, never make it worse, and never pass the limit', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = numbers(seed);
    const some = meters(Array.from({ length: 30 }, () => [(['a', 'b', 'c'] as const)[Math.floor(next() * 3)] ?? 'a', next() * 3]));
    const { before, after, moves } = proposeMoves([next() * 5, next() * 5, next() * 5], some, 6);
    expect(sum(after)).toBeCloseTo(sum(before), 9);
    expect(unbalanceOf(after)).toBeLessThanOrEqual(unbalanceOf(before) + 1e-9);
    expect(moves.length).toBeLessThanOrEqual(6);
    expect(new Set(moves.map((move) => move.meterId)).size).toBe(moves.length);
    const last = moves.at(-1);
    if (last) expect(unbalanceOf(after)).toBeCloseTo(last.unbalancePercent, 9);
  }
});

test('with one move, no other single move would be better by the sum of squares', () => {
  const some = meters([
    ['a', 2.1],
    ['a', 0.7],
    ['b', 1.3],
    ['b', 0.2],
    ['c', 0.9],
  ]);
  const squares = (loads: Loads) => loads.reduce((total, load) => total + load * load, 0);
  const { before, after } = proposeMoves([1, 0, 0], some, 1);
  for (const meter of some) {
    for (const to of [0, 1, 2] as const) {
      const loads: Loads = [...before];
      loads[{ a: 0, b: 1, c: 2 }[meter.phase] as 0 | 1 | 2] -= meter.kw; // as: of that very object
      loads[to] += meter.kw;
      expect(squares(after)).toBeLessThanOrEqual(squares(loads) + 1e-9);
    }
  }
});
