import { expect, test } from 'vitest';
import { DAY_MS, dayStart } from '#world/calendar.ts';
import { createWorld } from '#world/world.ts';
import { pushersBetween } from './freeze-pushes.ts';

const MINUTE_MS = 60_000;
const MIDNIGHT = dayStart(20_500);
const world = createWorld(1);
const snsBetween = (after: number, until: number): string[] => [...pushersBetween(world, after, until)].map(({ sn }) => sn);

test('radio meters push once a day, spread over the minutes after midnight', () => {
  const radio = world.plan.meters.filter(({ mode, isSilent }) => mode === 'rf' && !isSilent).map(({ sn }) => sn);
  const byMinute = [0, 1, 2, 3, 4].map((minute) => snsBetween(MIDNIGHT + minute * MINUTE_MS, MIDNIGHT + (minute + 1) * MINUTE_MS));
  expect(byMinute.flat().toSorted()).toEqual(radio.toSorted());
  expect(byMinute.every((sns) => sns.length < radio.length / 2)).toBe(true);
  expect(snsBetween(MIDNIGHT + 5 * MINUTE_MS, MIDNIGHT + DAY_MS - 1)).toEqual([]);
});

test('a clock that jumps over days pushes the last day only', () => {
  const all = snsBetween(MIDNIGHT - 3 * DAY_MS, MIDNIGHT + 10 * MINUTE_MS);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(0);
});
