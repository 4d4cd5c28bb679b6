import { expect, test } from 'vitest';
import { csvText } from '#core/files/download-csv.ts';
import { useServerTime } from '#core/time/format.ts';
import { sheetOf, type SheetColumn } from './sheet.ts';

interface Row {
  kwh: number | null;
  state: string;
  at: string | null;
}
const columns: SheetColumn<Row>[] = [
  { title: 'Energy', unit: 'kWh', value: (row) => row.kwh },
  { title: 'State', value: (row) => row.state, words: (row) => `is ${row.state}` },
  { title: 'Time', time: (row) => row.at },
];

test('a file names units, holds numbers as numbers, texts for states, local times with offset, and empty cells for missing values', () => {
  useServerTime.setState({ timeZone: 'Asia/Kathmandu' });
  const rows: Row[] = [
    { kwh: 7059.552, state: 'on', at: '2026-11-24T07:31:28.600Z' },
    { kwh: null, state: 'off', at: null },
  ];
  expect(sheetOf(columns, rows, 'en-US')).toEqual([
    ['Energy (kWh)', 'State', 'Time', 'Time (UTC offset)'],
    [7059.552, 'is on', '2026-11-24 13:16:28', '+05:45'],
    [null, 'is off', null, null],
  ]);
  expect(csvText(sheetOf(columns, rows, 'en-US')).split('\r\n')[1]).toBe('7059.552,is on,2026-11-24 13:16:28,+05:45');
  useServerTime.setState({ timeZone: 'America/St_Johns' });
  expect(sheetOf(columns, rows, 'zh-CN')[0]).toEqual(['Energy (kWh)', 'State', 'Time', 'Time（UTC偏移）']);
  expect(sheetOf(columns, rows, 'zh-CN')[1]?.slice(2)).toEqual(['2026-11-24 04:01:28', '-03:30']);
  useServerTime.setState({ timeZone: 'UTC' });
});
