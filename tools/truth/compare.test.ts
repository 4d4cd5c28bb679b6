import { describe, expect, test } from 'vitest';
import { compareSheets, compareTable, type ScreenTable } from './compare.ts';
import { parseCsv } from './files.ts';

const ZONE = 'Asia/Kathmandu';
const cell = (text: string, ...hints: string[]) => ({ text, hints });

const SCREEN: ScreenTable = {
  columns: [
    { key: 'select', heading: '' },
    { key: 'state', heading: 'Status' },
    { key: 'sn', heading: 'Meter SN' },
    { key: 'energy', heading: 'Total Active Energy +' },
    { key: 'loss', heading: 'Loss (kWh)' },
    { key: 'meters', heading: 'Meters Reachable' },
    { key: 'readAt', heading: 'Read' },
  ],
  rows: [
    {
      place: 0,
      cells: [
        cell(''),
        cell('Read success'),
        cell('2601 0001 0005'),
        cell('7,059.552 kWh'),
        cell('−12.3'),
        cell('29 / 31'),
        cell('13:16:28'),
      ],
    },
    { place: 1, cells: [cell(''), cell('Read fail'), cell('2601 0001 0004'), cell('—'), cell('—'), cell('0 / 4'), cell('—')] },
  ],
  total: 2,
};
const FILE = [
  [
    'Status',
    'Meter SN',
    'Total Active Energy + (kWh)',
    'Loss (kWh)',
    'Meters Reachable: Fresh',
    'Meters Reachable: All',
    'Read',
    'Read (UTC offset)',
  ],
  ['Read success', '260100010005', '7059.552', '-12.3456', '29', '31', '2026-11-24 13:16:28', '+05:45'],
  ['Read fail', '260100010004', '', '', '0', '4', '', ''],
];
/** The file with one cell of one line changed. */
const planted = (line: number, at: number, value: string) => FILE.map((row, index) => (index === line ? row.with(at, value) : row));
const kindsOf = (file: string[][]) => [...new Set(compareTable(SCREEN, file, ZONE).map(({ kind }) => kind))];

describe('a file is compared with its list', () => {
  test('and a correct one does not differ, even with more digits than shown', () => {
    expect(compareTable(SCREEN, FILE, ZONE)).toEqual([]);
  });

  test.each([
    ['a factor of a thousand', planted(1, 2, '7059552'), 'value'],
    ['a heading without the unit', planted(0, 2, 'Total Active Energy +'), 'unit'],
    ['another unit in the heading', planted(0, 2, 'Total Active Energy + (Wh)'), 'unit'],
    ['fewer decimals than the screen', planted(1, 3, '-12'), 'value'],
    ['a lost sign', planted(1, 3, '12.3'), 'value'],
    ['a formatted number', planted(1, 2, '7,059.552'), 'value'],
    ['a zero for a missing value', planted(2, 2, '0'), 'empty'],
    ['a dash for a missing value', planted(2, 3, '—'), 'none'],
    ['another state', planted(1, 0, 'Read fail'), 'text'],
    ['another serial number', planted(1, 1, '260100010004'), 'text'],
    ['a text with a letter more', planted(1, 0, `${FILE[1]?.[0]}s`), 'text'],
    ['another count', planted(1, 4, '28'), 'value'],
    ['a time of another zone', planted(1, 6, '2026-11-24 07:31:28'), 'time'],
    ['another offset', planted(1, 7, '+08:00'), 'zone'],
    ['a time without an offset', FILE.map((row) => row.slice(0, -1)), 'zone'],
    ['a lost row', FILE.slice(0, -1), 'rows'],
    ['a row too many', [...FILE, FILE[1] ?? []], 'rows'],
    ['rows in another order', FILE.toSpliced(1, 2, FILE[2] ?? [], FILE[1] ?? []), 'text'],
    ['a shifted column', FILE.map((row, at) => (at === 0 ? row : ['', ...row])), 'empty'],
    ['a missing column', FILE.map((row) => row.toSpliced(1, 1)), 'column'],
    ['columns in another order', FILE.map(([state = '', sn = '', ...row]) => [sn, state, ...row]), 'order'],
  ])('and differs for %s', (_, file, kind) => {
    expect(kindsOf(file)).toContain(kind === 'none' ? 'empty' : kind);
  });

  test('and a workbook keeps numbers as numbers', () => {
    const workbook = FILE.map((row, at) =>
      row.map((value) => (value === '' ? null : at > 0 && /^-?[\d.]+$/.test(value) && value.length < 12 ? Number(value) : value)),
    );
    expect(compareSheets(FILE, workbook)).toEqual([]);
    expect(
      compareSheets(
        FILE,
        workbook.map((row) => row.map((value) => (value === 7059.552 ? '7059.552' : value))),
      ),
    ).toHaveLength(1);
    expect(compareSheets(FILE, workbook.slice(0, 2)).map(({ kind }) => kind)).toContain('rows');
  });

  test('and quoted quotes, commas and line breaks of a CSV do not separate cells', () => {
    expect(parseCsv('\uFEFFa,"b,""c""\nd"\r\n1,\r\n')).toEqual([
      ['a', 'b,"c"\nd'],
      ['1', ''],
    ]);
  });
});
