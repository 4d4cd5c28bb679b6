import { alarmCriteria, type AlarmCriteria } from '@hes/contract/alarm/rule.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { expect, test } from 'vitest';
import { isActive, isDigestDue, isQuiet, minuteOfDay } from './criteria.ts';

const BERLIN = new Zone('Europe/Berlin');
const criteria = (fields: Partial<AlarmCriteria>): AlarmCriteria => alarmCriteria.parse(fields);
/** Whether a rule that looks from 22:00 to 06:00 counts an event at this instant. */
const countsAtNight = (at: string) => isActive(criteria({ activeFrom: '22:00', activeTo: '06:00' }), minuteOfDay(Date.parse(at), BERLIN));

test('hours that cross midnight are those of both days, and end with their last minute', () => {
  expect(countsAtNight('2026-01-10T21:59:00+01:00')).toBe(false);
  expect(countsAtNight('2026-01-10T22:00:00+01:00')).toBe(true);
  expect(countsAtNight('2026-01-11T00:00:00+01:00')).toBe(true);
  expect(countsAtNight('2026-01-11T05:59:59+01:00')).toBe(true);
  expect(countsAtNight('2026-01-11T06:00:00+01:00')).toBe(false);
});

test('hours follow the wall clock in the nights in which clocks change', () => {
  for (const at of ['2026-03-29T01:59:00+01:00', '2026-03-29T03:00:00+02:00', '2026-03-29T05:59:00+02:00'])
    expect(countsAtNight(at)).toBe(true);
  expect(countsAtNight('2026-03-29T06:00:00+02:00')).toBe(false);
  const quiet = criteria({ quietFrom: '02:00', quietTo: '03:00', quietBreaks: ['serious'] });
  // The hour is shown twice, and both are quiet.
  for (const at of ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00']) {
    const minute = minuteOfDay(Date.parse(at), BERLIN);
    expect([isQuiet(quiet, 'warning', minute), isQuiet(quiet, 'serious', minute)]).toEqual([true, false]);
  }
});

/** Whether the digest of 06:00 is due to a rule that was resumed at an instant. */
const isDue = (resumed: string, at: string, digestAt = '06:00') =>
  isDigestDue(criteria({ digestAt }), Date.parse(resumed), Date.parse(at), BERLIN);

test.each([
  ['2026-03-28', '+01:00', '+01:00'],
  ['2026-03-29', '+01:00', '+02:00'],
  ['2026-10-25', '+02:00', '+01:00'],
])('a rule that is resumed before the digest of %s sends it, and one that is resumed later waits for tomorrow', (day, night, morning) => {
  expect(isDue(`${day}T00:30:00${night}`, `${day}T05:59:00${morning}`)).toBe(false);
  expect(isDue(`${day}T05:30:00${morning}`, `${day}T06:00:00${morning}`)).toBe(true);
  expect(isDue(`${day}T06:30:00${morning}`, `${day}T06:31:00${morning}`)).toBe(false);
});

test('a digest of an hour that the wall clock skips is sent on that day', () => {
  expect(isDue('2026-03-01T00:00:00Z', '2026-03-29T23:59:00+02:00', '02:30')).toBe(true);
});
