import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { toHex } from './hex.ts';

describe('ByteWriter', () => {
  it('writes the limits of every integer and refuses what lies beyond', () => {
    const limits = {
      uint8: [0, 0xff],
      int8: [-0x80, 0x7f],
      uint16: [0, 0xffff],
      int16: [-0x8000, 0x7fff],
      uint32: [0, 0xffff_ffff],
      int32: [-0x8000_0000, 0x7fff_ffff],
    } as const;
    for (const [type, [low, high]] of Object.entries(limits) as [keyof typeof limits, readonly [number, number]][]) {
      const out = new ByteWriter(1);
      out[type](low);
      out[type](high);
      const input = new ByteReader(out.finish());
      expect([input[type](), input[type]()]).toEqual([low, high]);
      for (const wrong of [low - 1, high + 1, 0.5, Number.NaN]) expect(() => out[type](wrong)).toThrow(RangeError);
    }
  });

  it('writes lengths in their shortest form', () => {
    const out = new ByteWriter();
    for (const length of [0, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000]) out.length(length);
    expect(toHex(out.finish())).toBe('007F818081FF82010082FFFF8400010000');
  });

  it('prefixes delimited content of any size with its length, also when nested', () => {
    for (const size of [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000]) {
      const out = new ByteWriter(4);
      out.uint8(0xaa);
      const content = new Uint8Array(size).fill(7);
      out.delimited((outer, inner) => {
        outer.uint8(0xbb);
        outer.delimited((within, octets) => within.bytes(octets), inner);
      }, content);
      out.uint8(0xcc);
      const input = new ByteReader(out.finish());
      expect(input.uint8()).toBe(0xaa);
      const outer = input.slice(input.length());
      expect(outer.uint8()).toBe(0xbb);
      expect(outer.bytes(outer.length())).toEqual(new Uint8Array(size).fill(7));
      outer.done();
      expect(input.uint8()).toBe(0xcc);
      input.done();
    }
  });
});
