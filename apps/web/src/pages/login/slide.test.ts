import { expect, test } from 'vitest';
import { hasArrived, positionAfterKey, positionAt } from './slide.ts';

const track = { left: 100, width: 400 };
const HANDLE = 50;

test('the handle follows the pointer and stays in its track', () => {
  expect(positionAt(125, track, HANDLE)).toBe(0);
  expect(positionAt(300, track, HANDLE)).toBe(0.5);
  expect(positionAt(0, track, HANDLE)).toBe(0);
  expect(positionAt(900, track, HANDLE)).toBe(1);
});

test('a scaled page gives the same position, because only ratios count', () => {
  const half = positionAt(300, track, HANDLE);
  expect(positionAt(150, { left: 50, width: 200 }, HANDLE / 2)).toBe(half);
});

test('ten presses of an arrow arrive, nine do not', () => {
  let position = 0;
  for (let press = 0; press < 9; press += 1) position = positionAfterKey('ArrowRight', position) ?? 0;
  expect(hasArrived(position)).toBe(false);
  expect(hasArrived(positionAfterKey('ArrowRight', position) ?? 0)).toBe(true);
});

test('End arrives, Home goes back, other keys are not for the slider', () => {
  expect(hasArrived(positionAfterKey('End', 0) ?? 0)).toBe(true);
  expect(positionAfterKey('Home', 0.7)).toBe(0);
  expect(positionAfterKey('Tab', 0.3)).toBeUndefined();
});
