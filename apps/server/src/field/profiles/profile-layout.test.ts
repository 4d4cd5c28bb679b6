import { obis } from '@hes/dlms/cosem/obis.ts';
import { expect, test } from 'vitest';
import type { MeterDevice } from '../devices.ts';
import { checkedKeyOf, isTrusted } from './profile-layout.ts';

const HOUR_MS = 3_600_000;
const READ_AT = Date.parse('2026-11-25T08:00:00Z');
const LPA = obis('1.0.99.1.0.255');

const isTrustedAt = (now: number, watermarks: Record<string, number> = { [checkedKeyOf(LPA)]: READ_AT }) =>
  isTrusted({ watermarks } as MeterDevice, { instance: LPA, now }); // as: the function uses nothing else

test('a capture list is trusted for a day after its read', () => {
  expect(isTrustedAt(READ_AT)).toBe(true);
  expect(isTrustedAt(READ_AT + 24 * HOUR_MS - 1)).toBe(true);
  expect(isTrustedAt(READ_AT + 24 * HOUR_MS)).toBe(false);
});

test('a capture list that was never read is not trusted, nor is that of another profile', () => {
  expect(isTrustedAt(READ_AT, {})).toBe(false);
  expect(isTrustedAt(READ_AT, { [checkedKeyOf(obis('1.0.99.2.0.255'))]: READ_AT })).toBe(false);
});
