import { expect, test } from 'vitest';
import { filledColumns, fitColumns } from './fit-columns.ts';

interface Module {
  chip: string | null;
}
const columns = [
  { key: 'mac', width: 100, value: () => 'x' },
  { key: 'chip', width: 100, low: true, sparse: true, value: (row: Module) => row.chip },
  { key: 'note', width: 100, low: true, value: (row: Module) => row.chip },
  { key: 'chosen', width: 100, low: false, sparse: true, value: (row: Module) => row.chip },
  { key: 'read', width: 100, low: true, sparse: true, time: (row: Module) => row.chip },
];
const keysOf = (rows: Module[]) => filledColumns(columns, rows).map(({ key }) => key);

test('a sparse column is there as soon as one row has a value, or the user chose it', () => {
  expect(keysOf([{ chip: null }, { chip: null }])).toEqual(['mac', 'note', 'chosen']);
  expect(keysOf([{ chip: null }, { chip: 'C1' }])).toEqual(['mac', 'chip', 'note', 'chosen', 'read']);
});

test('a table without rows keeps its columns, which say what there will be', () => {
  expect(filledColumns(columns, [])).toBe(columns);
});

test('columns of low priority leave from the last one on until the others fit', () => {
  expect(fitColumns(columns, 350).map(({ key }) => key)).toEqual(['mac', 'chip', 'chosen']);
  expect(fitColumns(columns, 500)).toBe(columns);
});
