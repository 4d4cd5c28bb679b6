import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSchedule } from './expression.ts';
import { runDays } from './run-days.ts';
import { nextRuns } from './runs.ts';

const HOUR_MS = 3_600_000;
const ZONES = ['Europe/Berlin', 'America/Santiago', 'Asia/Shanghai', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Africa/Cairo'];

const dayIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (at: number) => format.format(at);
};

test('today is not a run day once its time has passed', () => {
  const half = parseSchedule('0 30 0 * * ? *');
  const at = (time: string) => Date.parse(`2026-11-24T${time}+08:00`);
  const days = (time: string) => [...runDays(half, at(time), 'Asia/Shanghai', '2026-11-26')];
  expect(days('00:10:00')).toEqual(['2026-11-24', '2026-11-25', '2026-11-26']);
  expect(days('00:30:00')).toEqual(['2026-11-25', '2026-11-26']);
  expect(days('07:38:00')).toEqual(['2026-11-25', '2026-11-26']);
});

test('a schedule without a run in the displayed range has no run days', () => {
  const summer = parseSchedule('0 0 2 1 7 ? *');
  expect(runDays(summer, Date.parse('2026-11-24T00:00:00Z'), 'Europe/Berlin', '2026-12-31').size).toBe(0);
});

test('run days are the days of the next runs in every zone, including at clock changes', () => {
  const expressions = ['0 30 0 * * ? *', '0 30 2 * * ? *', '0 0/15 * * * ? *', '0 30 23 ? * 2-6 *', '0 0 0 L * ? *'].map(parseSchedule);
  const from = Date.UTC(2026, 0, 1);
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...expressions),
      fc.integer({ min: 0, max: 2 * 365 * 24 * 4 }),
      (zone, schedule, quarters) => {
        const after = from + quarters * (HOUR_MS / 4);
        const day = dayIn(zone);
        const lastDay = day(after + 5 * 24 * HOUR_MS);
        const expected = new Set(
          nextRuns(schedule, after, zone, 24 * 4 * 7)
            .map(day)
            .filter((one) => one <= lastDay),
        );
        expect(runDays(schedule, after, zone, lastDay)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});
