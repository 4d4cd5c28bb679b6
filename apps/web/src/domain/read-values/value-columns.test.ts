import type { ReadValue } from '@hes/contract/orders/results.ts';
import { expect, test } from 'vitest';
import { sheetOf } from '#kit/table/sheet.ts';
import { valueColumns } from './value-columns.ts';

const read = (value: ReadValue['value'], unit: string, scaler: number | null): ReadValue => ({
  item: 'E_PLUS',
  obis: '1.0.1.8.0.255',
  value,
  unit,
  at: null,
  raw: null,
  scaler,
  reasonCode: value === null ? 'ACCESS_DENIED' : null,
});
const sheet = (rows: ReadValue[]) =>
  sheetOf(valueColumns({ items: ['E_PLUS'], rows, valueOf: (row) => row, nameOf: () => 'Total Active Energy +' }), rows, 'en-US');

test('the file of a reading has the kilowatt-hours of the screen, not the watt-hours of the wire', () => {
  expect(sheet([read(7_059_552, 'Wh', 0), read(null, '', null)])).toEqual([['Total Active Energy + (kWh)'], [7059.552], [null]]);
});

test('two meters with different units get two columns, and each number is in the column of its unit', () => {
  expect(sheet([read(7_059_552, 'Wh', 0), read(12, 'varh', 0)])).toEqual([
    ['Total Active Energy + (kWh)', 'Total Active Energy + (kvarh)'],
    [7059.552, null],
    [null, 0.012],
  ]);
});

test('the clock of a meter is a local time with its offset, and a text that is no moment stays one', () => {
  expect(sheet([read('2026-11-25T21:45:28.200Z', '', null), read(null, '', null)])).toEqual([
    ['Total Active Energy +', 'Total Active Energy + (UTC offset)'],
    ['2026-11-25 21:45:28', '+00:00'],
    [null, null],
  ]);
  expect(sheet([read('2026-11-25 21:45', '', null)])).toEqual([['Total Active Energy +'], ['2026-11-25 21:45']]);
});
