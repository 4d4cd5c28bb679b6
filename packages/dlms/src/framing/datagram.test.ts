import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { decodeDatagram } from './datagram.ts';
import { encodeWrapper } from './wrapper.ts';

describe('a datagram', () => {
  it('holds one frame', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), (apdu) => {
        const octets = encodeWrapper({ source: 1, destination: 16 }, apdu);
        expect(decodeDatagram(octets)).toEqual({ source: 1, destination: 16, apdu, octets });
      }),
    );
  });

  it('with less, with more, or of another version is refused', () => {
    const frame = '0001000100010002C401';
    for (const hex of ['', '0001', frame.slice(0, -2), `${frame}00`, frame + frame, `0002${frame.slice(4)}`])
      expect(() => decodeDatagram(fromHex(hex))).toThrow(DecodeError);
  });
});
