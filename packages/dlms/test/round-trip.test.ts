import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotate } from '../src/codec/annotate.ts';
import { ByteReader } from '../src/codec/byte-reader.ts';
import { decode, encode } from '../src/codec/codec.ts';
import { DecodeError } from '../src/codec/decode-error.ts';
import { dataCodec, rawData } from '../src/cosem/data.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '../src/cosem/date-time.ts';
import { decodeGateway, encodeGateway } from '../src/framing/gateway.ts';
import { APDU_TAGS, apduCodec } from '../src/xdlms/apdu.ts';
import { CIPHERED_TAGS } from '../src/xdlms/ciphered.ts';
import { anyApdu, anyData, anyDateTime } from './support/arbitraries.ts';

const RUNS = { numRuns: 300 };

/** Runs a decoder that may fail only with `DecodeError`. */
function tolerate(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
}

describe('encoded octets', () => {
  it('of Data are decoded unchanged, also as raw Data', () => {
    fc.assert(
      fc.property(anyData, (data) => {
        const octets = encode(dataCodec, data);
        expect(decode(dataCodec, octets)).toEqual(data);
        expect(decode(rawData, octets)).toEqual(octets);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [name, arbitrary] of Object.entries(anyApdu)) {
    it(`of ${name} are decoded unchanged, and annotated completely`, () => {
      fc.assert(
        fc.property(arbitrary, (apdu) => {
          const octets = encode(apduCodec, apdu);
          expect(decode(apduCodec, octets)).toEqual(apdu);
          expect(annotate(apduCodec, octets).nodes[0]).toMatchObject({ name, offset: 0, length: octets.length });
        }),
        RUNS,
      );
    });
  }

  it('of a date-time are decoded unchanged', () => {
    fc.assert(
      fc.property(anyDateTime, (moment) => {
        expect(decode(dateTimeCodec, encode(dateTimeCodec, moment))).toEqual(moment);
      }),
      RUNS,
    );
  });

  it('of epoch milliseconds give the same milliseconds for every zone', () => {
    const tenMs = fc.integer({ min: -2_000_000_000_00, max: 40_000_000_000_00 }).map((value) => value * 10);
    fc.assert(
      fc.property(tenMs, fc.integer({ min: -840, max: 720 }), (ms, deviation) => {
        expect(toEpochMs(fromEpochMs(ms, deviation))).toBe(ms);
      }),
      { numRuns: 2000 },
    );
  });

  it('after a gateway header are decoded unchanged', () => {
    const prefix = fc.record({
      networkId: fc.integer({ min: 0, max: 255 }),
      address: fc.uint8Array({ maxLength: 255 }),
      response: fc.boolean(),
    });
    fc.assert(
      fc.property(prefix, fc.uint8Array({ minLength: 1, maxLength: 100 }), (to, apdu) => {
        expect(decodeGateway(encodeGateway(to, apdu))).toEqual({ ...to, apdu });
      }),
      RUNS,
    );
  });
});

describe('noise', () => {
  const noise = fc.uint8Array({ maxLength: 200 });
  // Small octets are likely tags and counts and reach deeper code than uniform ones.
  const plausible = fc
    .array(fc.oneof(fc.integer({ min: 0, max: 27 }), fc.integer({ min: 0, max: 255 })), { maxLength: 200 })
    .map((octets) => Uint8Array.from(octets));
  const tags = [...Object.values(APDU_TAGS), ...Object.values(CIPHERED_TAGS)];
  const behindTag = fc
    .tuple(fc.constantFrom(...tags), fc.integer({ min: 0, max: 6 }), fc.oneof(noise, plausible))
    .map(([tag, kind, rest]) => Uint8Array.of(tag, kind, ...rest));

  it('after a plausible APDU tag throws only DecodeError, also when annotated', () => {
    fc.assert(
      fc.property(behindTag, (octets) => {
        tolerate(() => decode(apduCodec, octets));
        annotate(apduCodec, octets);
      }),
      { numRuns: 5000 },
    );
  });

  it('read as Data throws only DecodeError, the same decoded or raw', () => {
    fc.assert(
      fc.property(plausible, (octets) => {
        const [parsed, skipped] = [dataCodec, rawData].map((codec) => {
          const input = new ByteReader(octets);
          try {
            codec.read(input);
            return input.offset;
          } catch (error) {
            if (!(error instanceof DecodeError)) throw error;
            return error.message;
          }
        });
        expect(skipped).toBe(parsed);
      }),
      { numRuns: 5000 },
    );
  });

  it('after a gateway header throws only DecodeError', () => {
    fc.assert(
      fc.property(noise, (octets) => tolerate(() => decodeGateway(Uint8Array.of(0xe6, ...octets)))),
      RUNS,
    );
  });
});
