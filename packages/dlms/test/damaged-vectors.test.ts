import { describe, expect, it } from 'vitest';
import { annotate } from '../src/codec/annotate.ts';
import { DecodeError } from '../src/codec/decode-error.ts';
import { apduCodec } from '../src/xdlms/apdu.ts';
import { openWith, readPlain } from './support/read-vector.ts';
import { octetsOf, VECTORS, type Vector } from './support/vectors.ts';

const FLIPS = [0x01, 0x80, 0xff];
const MESSAGES = VECTORS.filter(({ hex, kind }) => hex !== undefined && kind !== 'hls' && kind !== 'keywrap');

/** The failure text, unless a `DecodeError` with an offset was thrown. */
function complaint(read: () => void, size: number): string | undefined {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DecodeError)) return `${error} of ${size} octets`;
    if (error.offset < 0 || error.offset > size) return `offset ${error.offset} of ${size}`;
  }
  return undefined;
}

function* damagedCopies(octets: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < octets.length; at++) {
    for (const flip of FLIPS) yield octets.map((octet, i) => (i === at ? octet ^ flip : octet));
    yield octets.subarray(0, at);
  }
}

function complaints(vector: Vector, read: (octets: Uint8Array) => void): string[] {
  const all: string[] = [];
  for (const damaged of damagedCopies(octetsOf(vector))) {
    const found = complaint(() => read(damaged), damaged.length);
    if (found !== undefined) all.push(`${vector.name}: ${found}`);
  }
  return all;
}

describe('damaged messages', { timeout: 30_000 }, () => {
  it('throw only DecodeError with an offset, for any flipped octet and any truncation', () => {
    expect(MESSAGES.flatMap((vector) => complaints(vector, (octets) => readPlain(vector.kind, octets)))).toEqual([]);
  });

  it('are annotated up to the error', () => {
    const apdus = MESSAGES.filter(({ kind }) => kind === 'pdu');
    expect(apdus.flatMap((vector) => complaints(vector, (octets) => void annotate(apduCodec, octets)))).toEqual([]);
  });

  it('are refused: no protected message with a flipped octet is authentic', () => {
    const authenticated = MESSAGES.filter(
      ({ keys, kind, expect: outcome, name }) =>
        keys !== undefined && kind === 'pdu' && outcome === 'ok' && name.startsWith('glo-get-auth'),
    );
    expect(authenticated.length).toBeGreaterThan(1);
    for (const vector of authenticated) {
      const octets = octetsOf(vector);
      for (let at = 2; at < octets.length; at++) {
        const damaged = octets.map((octet, i) => (i === at ? octet ^ 1 : octet));
        expect(() => openWith(vector, damaged)).toThrow(DecodeError);
      }
    }
  });
});
