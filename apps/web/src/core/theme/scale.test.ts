import { afterEach, expect, test, vi } from 'vitest';
import { usePreferences } from './preferences.ts';
import { DESIGN_WIDTH, scaleOf, startScale, textBoostOf, useScale } from './scale.ts';

afterEach(() => void vi.useRealTimers());

const resizeTo = (width: number) => {
  vi.stubGlobal('innerWidth', width);
  dispatchEvent(new Event('resize'));
};

test('S-040 S-041 S-522: between 1280 and 3840 pixels the stage is exactly the design width', () => {
  for (const width of [1366, 1920, 2560, 3840]) expect(width / scaleOf(width)).toBeCloseTo(DESIGN_WIDTH, 6);
  expect(scaleOf(800)).toBe(0.667);
});

test('a phone shows the stage unscaled, so that text and targets have their design size', () => {
  expect(scaleOf(390)).toBe(1);
});

test('table text does not fall below its floor in small windows', () => {
  expect(textBoostOf(1)).toBe(1);
  expect(13 * textBoostOf(scaleOf(1366)) * scaleOf(1366)).toBeCloseTo(11.25, 6);
});

test('S-523: a new size applies 200 ms after the last resize', () => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  startScale();
  resizeTo(1440);
  vi.advanceTimersByTime(150);
  resizeTo(2400);
  vi.advanceTimersByTime(199);
  expect(useScale.getState().k).not.toBe(1.25);
  vi.advanceTimersByTime(1);
  expect(useScale.getState().k).toBe(1.25);
});

test('large display makes all text a step larger, and keeps it', () => {
  usePreferences.getState().setSize('large');
  expect(useScale.getState().boost).toBeCloseTo(1.15, 6);
  expect(localStorage.getItem('SYS_DISPLAY_SIZE')).toBe('large');
});
