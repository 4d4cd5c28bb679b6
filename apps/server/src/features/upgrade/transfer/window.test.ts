import { Zone } from '@hes/contract/schedule/zone.ts';
import { expect, test } from 'vitest';
import { isOpen } from './window.ts';

const zone = new Zone('Asia/Shanghai');
const at = (local: string) => Date.parse(`2026-11-21T${local}:00+08:00`);

test.each([
  ['22:00', '05:00', '23:30', true],
  ['22:00', '05:00', '04:59', true],
  ['22:00', '05:00', '05:00', false],
  ['01:00', '05:00', '00:59', false],
  ['01:00', '05:00', '01:00', true],
])('a window from %s to %s is open at %s local time: %s', (from, to, time, wanted) => {
  expect(isOpen({ from, to }, at(time), zone)).toBe(wanted);
});

test('no window is always open', () => {
  expect(isOpen(null, at('12:00'), zone)).toBe(true);
});
