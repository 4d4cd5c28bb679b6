import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from './data.ts';
import { dateTimeCodec } from './date-time.ts';
import { obis } from './obis.ts';
import { CLOCK_COLUMN, entrySelection, parseSelection, rangeSelection } from './selective-access.ts';

const FROM = '07E10A010700000000FFC480';
const TO = '07E10A010701000000FFC480';

describe('selective access', () => {
  it('by range compares the clock and selects all columns by default', () => {
    const [from, to] = [FROM, TO].map((hex) => decode(dateTimeCodec, fromHex(hex)));
    const selection = rangeSelection({ from: from ?? decode(dateTimeCodec, fromHex(FROM)), to: to ?? decode(dateTimeCodec, fromHex(TO)) });
    expect(selection.selector).toBe(1);
    expect(toHex(encode(dataCodec, selection.parameters))).toBe(`0204020412000809060000010000FF0F02120000090C${FROM}090C${TO}0100`);
    expect(parseSelection(selection)).toMatchObject({ kind: 'range', from, to, columns: [], restricting: { classId: 8, attributeId: 2 } });
  });

  it('by entry selects all columns by default', () => {
    const selection = entrySelection({ fromEntry: 1, toEntry: 3 });
    expect(toHex(encode(dataCodec, selection.parameters))).toBe('020406000000010600000003120001120000');
    expect(parseSelection(selection)).toEqual({ kind: 'entry', fromEntry: 1, toEntry: 3, fromColumn: 1, toColumn: 0 });
  });

  it('selects columns, by their objects in a range and by their numbers among entries', () => {
    const [from, to] = [FROM, TO].map((hex) => decode(dateTimeCodec, fromHex(hex)));
    const moments = { from: from ?? decode(dateTimeCodec, fromHex(FROM)), to: to ?? decode(dateTimeCodec, fromHex(TO)) };
    const columns = [CLOCK_COLUMN, { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 }];
    const range = rangeSelection({ ...moments, columns });
    expect(toHex(encode(dataCodec, range.parameters))).toContain('0102020412000809060000010000FF0F021200000204120003');
    expect(parseSelection(range)).toMatchObject({ kind: 'range', columns });
    const entries = entrySelection({ fromEntry: 2, toEntry: 0, fromColumn: 3, toColumn: 4 });
    expect(parseSelection(entries)).toEqual({ kind: 'entry', fromEntry: 2, toEntry: 0, fromColumn: 3, toColumn: 4 });
  });

  it('ignores other selectors, and refuses invalid parameters', () => {
    expect(parseSelection({ selector: 3, parameters: { type: 'null' } })).toBeUndefined();
    expect(() => parseSelection({ selector: 1, parameters: { type: 'null' } })).toThrow(DecodeError);
    expect(() => parseSelection({ selector: 2, parameters: { type: 'structure', value: [] } })).toThrow(DecodeError);
  });
});
