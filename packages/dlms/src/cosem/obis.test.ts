import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { obis, obisCodec } from './obis.ts';

describe('obis', () => {
  it('takes six groups of 0 to 255', () => {
    expect(obis('1.0.1.8.0.255')).toBe('1.0.1.8.0.255');
    expect(obis('001.0.01.8.0.255')).toBe('1.0.1.8.0.255');
  });

  it('refuses everything else, so that a mistyped constant fails at load', () => {
    for (const text of ['0.0.43.0.0255', '1.0.1.8.0', '1.0.1.8.0.256', '1.0.1.8.0.255.0', '1-0:1.8.0*255', '', 'a.b.c.d.e.f']) {
      expect(() => obis(text)).toThrow(RangeError);
    }
  });

  it('is six octets on the wire', () => {
    expect(toHex(encode(obisCodec, obis('1.0.99.1.0.255')))).toBe('0100630100FF');
    expect(decode(obisCodec, fromHex('0100630100FF'))).toBe('1.0.99.1.0.255');
  });
});
