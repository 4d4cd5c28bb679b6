import { expect, test } from 'vitest';
import { explainOldBackup } from './backup-age.ts';

const HOUR_MS = 3_600_000;
const AT = Date.parse('2026-11-28T06:00:00Z');
const verifiedAt = new Date(AT).toISOString();
const after = (hours: number, everyMs = 24 * HOUR_MS) => ({ everyMs, nowMs: AT + hours * HOUR_MS, startedMs: AT });

test('a verified backup is too old after three intervals of the schedule', () => {
  expect(explainOldBackup({ verifiedAt }, after(72))).toBeUndefined();
  expect(explainOldBackup({ verifiedAt }, after(73))).toBe(
    'The newest verified backup is 73 hours old, of 2026-11-28T06:00:00.000Z; 72 hours are allowed.',
  );
  expect(explainOldBackup({ verifiedAt }, after(4, HOUR_MS))).toContain('3 hours are allowed');
});

test('without a schedule it is too old after a week, and without any backup the age counts from the start', () => {
  expect(explainOldBackup({ verifiedAt }, after(168, 0))).toBeUndefined();
  expect(explainOldBackup({ verifiedAt }, after(169, 0))).toContain('169 hours old');
  expect(explainOldBackup({ verifiedAt: null }, after(72))).toBeUndefined();
  expect(explainOldBackup({ verifiedAt: null }, after(73))).toBe(
    'No backup was verified since the head-end started 73 hours ago; 72 hours are allowed.',
  );
});
