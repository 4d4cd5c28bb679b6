import { expect, test } from 'vitest';
import { hourBars, shareOnline } from './hours-online.ts';

const HOUR_MS = 3_600_000;
const now = Date.parse('2026-01-02T10:20:00Z');
const hour = (ago: number, onlineMinutes: number, knownMinutes: number) => ({
  startsAt: new Date(Math.floor(now / HOUR_MS) * HOUR_MS - ago * HOUR_MS).toISOString(),
  onlineSeconds: onlineMinutes * 60,
  knownSeconds: knownMinutes * 60,
});

test('an hour without contact is offline, an unknown hour is not', () => {
  const hours = [hour(3, 0, 60), hour(2, 0, 0), hour(1, 60, 60)];
  expect(hourBars(hours, now)).toMatchObject([
    { offlineMinutes: 60, unknownMinutes: 0, onlineTo: 0, offlineTo: 100 },
    { offlineMinutes: 0, unknownMinutes: 60, onlineTo: 0, offlineTo: 0 },
    { onlineMinutes: 60, offlineMinutes: 0, unknownMinutes: 0, onlineTo: 100, offlineTo: 100 },
  ]);
  expect(shareOnline(hours)).toBe('50.0');
});

test('an hour may be partly online, offline and unknown', () => {
  expect(hourBars([hour(1, 15, 45)], now)).toMatchObject([
    { onlineMinutes: 15, offlineMinutes: 30, unknownMinutes: 15, onlineTo: 25, offlineTo: 75 },
  ]);
});

test('the current hour is compared with the minutes that have passed', () => {
  const [bar] = hourBars([hour(0, 20, 20)], now);
  expect(bar).toMatchObject({ unknownMinutes: 0, onlineTo: 100 });
  expect(hourBars([hour(0, 5, 10)], now)).toMatchObject([{ onlineMinutes: 5, offlineMinutes: 5, unknownMinutes: 10 }]);
});

test('a DCU without known hours has no online share', () => {
  expect(shareOnline([hour(1, 0, 0), hour(0, 0, 0)])).toBeUndefined();
});
