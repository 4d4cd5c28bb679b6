import { expect, test } from 'vitest';
import { headed, shownValue } from './unit.ts';

test('a heading names its unit once', () => {
  expect(headed('Total Active Energy +', 'kWh')).toBe('Total Active Energy + (kWh)');
  expect(headed('Loss (%)', '%')).toBe('Loss (%)');
  expect(headed('Meters')).toBe('Meters');
  expect(headed('Power Factor', '')).toBe('Power Factor');
});

test('base units of energy and power become thousands, value and unit together', () => {
  expect(shownValue(7_059_552, 'Wh', 0)).toEqual({ value: 7059.552, unit: 'kWh', decimals: 3 });
  expect(shownValue(280, 'W', 0)).toEqual({ value: 0.28, unit: 'kW', decimals: 3 });
  expect(shownValue(225.1, 'V', -1)).toEqual({ value: 225.1, unit: 'V', decimals: 1 });
});
