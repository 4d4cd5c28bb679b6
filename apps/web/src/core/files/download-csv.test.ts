import { expect, test } from 'vitest';
import { csvText } from './download-csv.ts';

test('a spreadsheet opens it in the right encoding, and no cell becomes a formula', () => {
  expect(
    csvText([
      ['a', 'b,c'],
      ['=1+1', -2],
    ]),
  ).toBe('\uFEFFa,"b,c"\r\n\'=1+1,-2\r\n');
});
