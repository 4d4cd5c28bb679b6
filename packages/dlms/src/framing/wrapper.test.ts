import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { encodeWrapper, WrapperDeframer, type WrapperFrame } from './wrapper.ts';

const address = fc.record({ source: fc.integer({ min: 0, max: 0xffff }), destination: fc.integer({ min: 0, max: 0xffff }) });
const frames = fc.array(fc.tuple(address, fc.uint8Array({ minLength: 1, maxLength: 300 })), { minLength: 1, maxLength: 6 });

function* chunks(stream: Uint8Array, cuts: number[]): Generator<Uint8Array> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].toSorted((a, b) => a - b);
  for (const [i, from] of places.entries()) yield stream.subarray(from, places[i + 1] ?? from);
}

const failureOf = (read: () => unknown): unknown => {
  try {
    read();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('WrapperDeframer', () => {
  it('returns the same frames for any chunk boundaries', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
        const stream = Uint8Array.from(sent.flatMap(([to, apdu]) => [...encodeWrapper(to, apdu)]));
        const deframer = new WrapperDeframer();
        const got: WrapperFrame[] = [];
        for (const chunk of chunks(stream, cuts)) got.push(...deframer.push(chunk));
        expect(got.map(({ source, destination, apdu }) => [{ source, destination }, apdu])).toEqual(sent);
        expect(deframer.pending).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('returns frames that arrive octet by octet, and counts pending octets', () => {
    const deframer = new WrapperDeframer();
    const octets = fromHex('0001 0010 0001 0003 C401C1');
    const pending = [...octets.subarray(0, -1)].map((octet) => {
      expect(deframer.push(Uint8Array.of(octet))).toEqual([]);
      return deframer.pending;
    });
    expect(pending).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const [frame] = deframer.push(octets.subarray(-1));
    expect(frame).toEqual({ source: 16, destination: 1, apdu: fromHex('C401C1'), octets });
  });

  it('completes a frame that begins in the chunk of the one before it', () => {
    const [first, second] = [Uint8Array.of(0xc0, 1), Uint8Array.of(0xc4, 2, 3)].map((apdu) =>
      encodeWrapper({ source: 1, destination: 16 }, apdu),
    );
    const octets = Uint8Array.of(...(first ?? []), ...(second ?? []));
    const deframer = new WrapperDeframer();
    const cut = octets.length - 4;
    expect(deframer.push(octets.subarray(0, cut)).map(({ apdu }) => [...apdu])).toEqual([[0xc0, 1]]);
    let frames: WrapperFrame[] = [];
    expect(() => (frames = deframer.push(octets.subarray(cut)))).not.toThrow();
    expect(frames.map(({ apdu }) => [...apdu])).toEqual([[0xc4, 2, 3]]);
  });

  it('refuses another version and never recovers', () => {
    const deframer = new WrapperDeframer();
    const error = failureOf(() => deframer.push(fromHex('0001 0001 0002 0001 00 474554202F20485454502F')));
    expect(error).toBeUndefined();
    expect(deframer.failure).toMatchObject({ fault: { code: 'BAD_VALUE' } });
    const later = failureOf(() => deframer.push(fromHex('0001 0001 0001 0001 00')));
    expect(later).toBeInstanceOf(DecodeError);
  });

  it('refuses an empty APDU and reports its stream offset', () => {
    const deframer = new WrapperDeframer();
    expect(deframer.push(fromHex('0001 0001 0002 0001 00'))).toHaveLength(1);
    const error = failureOf(() => deframer.push(fromHex('0001 0001 0002 0000')));
    expect(error).toMatchObject({ fault: { code: 'BAD_LENGTH', length: 0 }, offset: 9 + 6, path: 'wrapper.length' });
  });

  it('returns the frames before a failure first', () => {
    const deframer = new WrapperDeframer();
    const got = deframer.push(fromHex('0001 0001 0002 0001 AA 0002 0001 0001 0001 00'));
    expect(got.map(({ apdu }) => toHex(apdu))).toEqual(['AA']);
    expect(deframer.failure?.offset).toBe(9);
  });

  it('accepts the largest frame', () => {
    const apdu = new Uint8Array(0xffff).fill(7);
    const [frame] = new WrapperDeframer().push(encodeWrapper({ source: 1, destination: 1 }, apdu));
    expect(frame?.apdu.length).toBe(0xffff);
  });
});

describe('encodeWrapper', () => {
  it('refuses an APDU whose length does not fit the header', () => {
    expect(() => encodeWrapper({ source: 1, destination: 1 }, new Uint8Array(0))).toThrow(RangeError);
    expect(() => encodeWrapper({ source: 1, destination: 1 }, new Uint8Array(0x10000))).toThrow(RangeError);
    expect(() => encodeWrapper({ source: -1, destination: 1 }, new Uint8Array(1))).toThrow(RangeError);
  });
});
