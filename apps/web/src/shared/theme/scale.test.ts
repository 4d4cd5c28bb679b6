// @vitest-environment node
import { expect, test } from 'vitest';
import { DESIGN_WIDTH, scaleOf, textBoostOf } from './scale.ts';

test('between 1280 and 3840 pixels the stage is exactly the design width', () => {
  for (const width of [1366, 1920, 2560, 3840]) expect(width / scaleOf(width)).toBeCloseTo(DESIGN_WIDTH, 6);
  expect(scaleOf(800)).toBe(0.667);
});

test('table text does not fall below its floor in small windows', () => {
  expect(textBoostOf(1)).toBe(1);
  expect(13 * textBoostOf(scaleOf(1366)) * scaleOf(1366)).toBeCloseTo(11.25, 6);
});
