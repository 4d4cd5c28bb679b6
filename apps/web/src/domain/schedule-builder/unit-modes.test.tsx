import { defaultSettings, type PlainUnit } from '@hes/contract/schedule/settings.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { UnitModes } from './unit-modes.tsx';

afterEach(cleanup);

/** Ranges that the fields of the form accept (increment, start, first and last), repeated here on purpose. */
const ACCEPTED: Record<PlainUnit, [low: number, high: number][]> = {
  second: [
    [1, 60],
    [0, 59],
    [1, 60],
    [0, 59],
  ],
  minute: [
    [1, 60],
    [0, 59],
    [1, 60],
    [0, 59],
  ],
  hour: [
    [0, 23],
    [0, 23],
    [0, 23],
    [0, 23],
  ],
  month: [
    [0, 12],
    [0, 12],
    [1, 12],
    [1, 12],
  ],
  year: [
    [1, 99],
    [2018, 2118],
    [2018, 2118],
    [2018, 2118],
  ],
};

test.each<[statements: string, unit: PlainUnit]>([
  ['S-448 S-450 S-452 S-454', 'second'],
  ['S-449 S-451 S-453 S-455', 'minute'],
  ['S-456', 'hour'],
  ['S-462 S-463', 'month'],
  ['S-464 S-465 S-466', 'year'],
])('%s: the fields of a %s accept values within its bounds', (_statements, unit) => {
  render(<UnitModes unit={unit} settings={defaultSettings(2026)[unit]} onChange={vi.fn()} />);
  const fields = screen.getAllByRole('spinbutton');
  const bounds = fields.map((field) => [Number(field.getAttribute('aria-valuemin')), Number(field.getAttribute('aria-valuemax'))]);
  expect(bounds).toEqual(ACCEPTED[unit]);
});
