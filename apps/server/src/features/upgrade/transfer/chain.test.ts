import { expect, it } from 'vitest';
import { mayFollow } from './chain.ts';

it('a downgrade needs a firmware that names the present version', () => {
  expect(mayFollow('HES-MP 2.4.1', { version: 'HES-MP 2.5.0', fromVersions: [] })).toBe(true);
  expect(mayFollow('HES-MP 2.5.0', { version: 'HES-MP 2.4.1', fromVersions: [] })).toBe(false);
  expect(mayFollow('HES-MP 2.5.0', { version: 'HES-MP 2.4.1', fromVersions: ['HES-MP 2.5.0'] })).toBe(true);
  expect(mayFollow('HES-MP 2.3.0', { version: 'HES-MP 2.5.0', fromVersions: ['HES-MP 2.4.1'] })).toBe(false);
});
