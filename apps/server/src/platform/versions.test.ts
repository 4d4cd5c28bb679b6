import { expect, it } from 'vitest';
import { compareVersions, isOlder } from './versions.ts';

it('versions are compared by their numbers, regardless of the text around them', () => {
  expect(compareVersions('2.4.10', '2.4.9')).toBeGreaterThan(0);
  expect(compareVersions('HES-ST 1.2.0', '1.2')).toBe(0);
  expect(compareVersions('1.9', '2')).toBeLessThan(0);
});

it('a version without numbers is neither older nor newer', () => {
  expect(isOlder('HES-MP 2.4.1', 'HES-MP 2.5.0')).toBe(true);
  expect(isOlder('HES-MP 2.5.0', 'HES-MP 2.5.0')).toBe(false);
  expect([isOlder('factory', 'HES-MP 2.5.0'), isOlder('HES-MP 2.5.0', 'factory')]).toEqual([false, false]);
});
