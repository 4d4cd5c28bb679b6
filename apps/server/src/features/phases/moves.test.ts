import { expect, test } from 'vitest';
import { proposeMoves, unbalanceOf, type Load, type Loads } from './moves.ts';

const meters = (of: [Load['phase'], number][]): Load[] => of.map(([phase, kw], index) => ({ meterId: String(index), phase, kw }));
const sum = (loads: Loads): number => loads.reduce((total, load) => total + load, 0);

/** Deterministic pseudo-random numbers in [0, 1). */
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

test('leaves balanced loads unchanged', () => {
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

const AT = { a: 0, b: 1, c: 2 } as const;
const moved = (loads: Loads, { phase, kw }: Load, to: 0 | 1 | 2): Loads => {
  const next: Loads = [...loads];
  next[AT[phase]] -= kw;
  next[to] += kw;
  return next;
};

/** The best plan with at most this number of moves, by exhaustive search. */
function bestOf(loads: Loads, some: readonly Load[], most: number): number {
  if (most === 0 || some.length === 0) return unbalanceOf(loads);
  const [first, ...rest] = some;
  const stays = bestOf(loads, rest, most);
  const goes = ([0, 1, 2] as const).map((to) => (first ? bestOf(moved(loads, first, to), rest, most - 1) : stays));
  return Math.min(stays, ...goes);
}

const townOf = (seed: number, count: number): [Loads, Load[]] => {
  const next = numbers(seed * 7919);
  const some = meters(Array.from({ length: count }, () => [(['a', 'b', 'c'] as const)[Math.floor(next() * 3)] ?? 'a', next() * 3]));
  return [[next() * 5, next() * 5, next() * 5], some];
};

test('one or two moves are the best there are, and no fewer would come as near', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const [fixed, some] = townOf(seed, 14);
    const none = proposeMoves(fixed, some, 0).before;
    for (const most of [1, 2]) {
      const { after, moves } = proposeMoves(fixed, some, most);
      expect(unbalanceOf(after)).toBeLessThanOrEqual(bestOf(none, some, most) + 0.2 + 1e-9);
      if (moves.length > 0) expect(bestOf(none, some, moves.length - 1)).toBeGreaterThan(unbalanceOf(after));
    }
  }
});

test('a street is balanced to a fifth of a per cent by a handful of moves, a large one in no time', () => {
  for (const count of [25, 60, 400]) {
    const [fixed, some] = townOf(7, count);
    const { after } = proposeMoves(fixed, some, 20);
    expect(unbalanceOf(after)).toBeLessThan(0.4);
  }
});
