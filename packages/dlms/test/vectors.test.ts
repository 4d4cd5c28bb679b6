import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../dlms-node/src/node-cipher.ts';
import { decode, encode } from '../src/codec/codec.ts';
import { DecodeError } from '../src/codec/decode-error.ts';
import { fromHex, toHex } from '../src/codec/hex.ts';
import { dataCodec } from '../src/cosem/data.ts';
import { dateTimeCodec } from '../src/cosem/date-time.ts';
import { decodeGateway, encodeGateway } from '../src/framing/gateway.ts';
import { encodeWrapper } from '../src/framing/wrapper.ts';
import { verifyHlsAnswer, computeHlsAnswer, type HlsMechanism } from '../src/security/hls.ts';
import { protect, readCipheredApdu } from '../src/security/protection.ts';
import { apduCodec } from '../src/xdlms/apdu.ts';
import { isCipheredTag } from '../src/xdlms/ciphered.ts';
import { frameOf, keysOf, openingOf, openWith, policyOf, readPlain } from './support/read-vector.ts';
import { apduShape, dataShape, dateTimeShape } from './support/vector-shape.ts';
import { octetsOf, VECTOR_FILES, VECTORS, type Vector } from './support/vectors.ts';

/** Vectors that are not re-encoded identically: we do not repeat the faults of a peer. */
const NOT_CANONICAL: Record<string, string> = {
  'data-bool-ff': 'TRUE is any octet but 0; we write 01',
  'push-kaifa-ma304-tagged-datetime': 'a Data tag in front of the date-time',
  'cap-rlre-bad-length': 'outer lengths 4 and 1 too small',
};

const MECHANISMS: Record<number, HlsMechanism> = { 2: 'hls', 3: 'hlsMd5', 4: 'hlsSha1', 5: 'hlsGmac', 6: 'hlsSha256' };

/** Re-encodes a `pdu` with what encloses it. */
function encodeAgain(octets: Uint8Array): Uint8Array {
  const gateway = decodeGateway(octets);
  return gateway === undefined ? encode(apduCodec, decode(apduCodec, octets)) : encodeGateway(gateway, encodeAgain(gateway.apdu));
}

function checkApdu(vector: Vector, apdu: Uint8Array, decoded: unknown): void {
  const shape = apduShape(apdu, (ciphered) => openWith(vector, ciphered));
  const expected = decoded as Record<string, unknown>; // as: JSON
  // Not every source of the vectors could decipher its messages.
  if (!('inner' in expected) && isCipheredTag(apdu[0] ?? 0)) expect(shape).toMatchObject(expected);
  else expect(shape).toEqual(expected);
  if (!(vector.name in NOT_CANONICAL)) expect(toHex(encodeAgain(apdu))).toBe(toHex(apdu));
  checkProtection(vector, apdu);
}

/** The same plaintext, keys and counter yield the same protected octets. */
function checkProtection(vector: Vector, apdu: Uint8Array): void {
  if (!isCipheredTag(apdu[0] ?? 0) || vector.keys === undefined) return;
  const ciphered = readCipheredApdu(apdu);
  // We do not write the general form without a title.
  if (ciphered.plainTag === undefined && ciphered.systemTitle === undefined) return;
  const opening = openingOf(vector, ciphered);
  const again = protect(openWith(vector, apdu) ?? new Uint8Array(), {
    ...opening,
    policy: policyOf(ciphered.securityControl),
    counter: ciphered.invocationCounter,
    form: ciphered.plainTag === undefined ? 'general' : 'service-specific',
    dedicatedKey: ciphered.dedicated ? opening.dedicatedKey : undefined,
  });
  expect(toHex(again)).toBe(toHex(apdu));
}

const CHECKS: Record<Vector['kind'], (vector: Vector) => void> = {
  pdu: (vector) => checkApdu(vector, octetsOf(vector), vector.decoded),
  wrapper: (vector) => {
    const frame = frameOf(octetsOf(vector));
    const { wrapper, pdu } = vector.decoded as { wrapper: { src: number; dst: number; length: number }; pdu: unknown }; // as: JSON of this kind
    expect(frame).toMatchObject({ source: wrapper.src, destination: wrapper.dst });
    expect(frame?.apdu.length).toBe(wrapper.length);
    const apdu = frame?.apdu ?? new Uint8Array();
    checkApdu(vector, apdu, pdu);
    expect(toHex(encodeWrapper({ source: wrapper.src, destination: wrapper.dst }, apdu))).toBe(vector.hex);
  },
  data: (vector) => {
    const data = decode(dataCodec, octetsOf(vector));
    expect(dataShape(data)).toEqual(vector.decoded);
    if (!(vector.name in NOT_CANONICAL)) expect(toHex(encode(dataCodec, data))).toBe(vector.hex);
  },
  datetime: (vector) => {
    expect(dateTimeShape(octetsOf(vector))).toMatchObject(vector.decoded ?? {});
    expect(toHex(encode(dateTimeCodec, decode(dateTimeCodec, octetsOf(vector))))).toBe(vector.hex);
  },
  keywrap: (vector) => {
    const [kek, key, wrapped] = ['kek', 'key', 'wrapped'].map((name) => fromHex(String(vector[name]))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]; // as: three of three
    expect(nodeCipher.wrapKey?.(kek, key)).toEqual(wrapped);
    expect(nodeCipher.unwrapKey?.(kek, wrapped)).toEqual(key);
  },
  hls: (vector) => {
    const octets = (name: string) => fromHex(String(vector[name] ?? ''));
    const mechanism = MECHANISMS[Number(vector['mechanism'])] ?? 'hlsEcdsa';
    const shared = { cipher: nodeCipher, mechanism, keys: keysOf(vector), secret: octets('secret') };
    const [clientTitle, serverTitle, stoc, ctos] = [octets('clientTitle'), octets('serverTitle'), octets('stoc'), octets('ctos')];
    const client = { ...shared, ownTitle: clientTitle, peerTitle: serverTitle, challenge: stoc, otherChallenge: ctos };
    const server = { ...shared, ownTitle: serverTitle, peerTitle: clientTitle, challenge: ctos, otherChallenge: stoc };
    expect(toHex(computeHlsAnswer(client, { nextCounter: () => Number(vector['clientIc']) }))).toBe(vector['fStoC']);
    expect(verifyHlsAnswer(client, octets('fStoC'))).toBe(true);
    expect(toHex(computeHlsAnswer(server, { nextCounter: () => Number(vector['serverIc']) }))).toBe(vector['fCtoS']);
    expect(verifyHlsAnswer(server, octets('fCtoS'))).toBe(true);
    expect(verifyHlsAnswer(server, octets('fStoC'))).toBe(false);
  },
};

/** Expects a `DecodeError` or, for a frame, that the deframer awaits more octets. */
function checkRefusal(vector: Vector): void {
  const octets = octetsOf(vector);
  if (vector.kind === 'wrapper' && frameRefusal(octets) === 'incomplete') return;
  expect(() => {
    readPlain(vector.kind, octets);
    openWith(vector, octets);
  }).toThrow(DecodeError);
}

function frameRefusal(octets: Uint8Array): 'incomplete' | 'refused' {
  try {
    return frameOf(octets) === undefined ? 'incomplete' : 'refused';
  } catch {
    return 'refused';
  }
}

for (const { file, vectors } of VECTOR_FILES) {
  describe(`vectors of ${file}`, () => {
    for (const vector of vectors) {
      if (vector.expect === 'error') it(`${vector.name} is refused`, () => checkRefusal(vector));
      else it(`${vector.name} reads and writes`, () => CHECKS[vector.kind](vector));
    }
  });
}

/** The vectors of the public reference; we only add to them. */
const PUBLIC_VECTORS = 202;
const FURTHER_VECTORS = 200;

describe('coverage of the vectors', () => {
  const covered = VECTORS.length;
  it(`covers ${covered} of ${VECTORS.length} vectors, ${Object.keys(NOT_CANONICAL).length} of them in one direction`, () => {
    expect(VECTORS.length).toBeGreaterThanOrEqual(PUBLIC_VECTORS + FURTHER_VECTORS);
    expect(new Set(VECTORS.map(({ name }) => name)).size).toBe(VECTORS.length);
    const names = new Set(VECTORS.map(({ name }) => name));
    for (const name of Object.keys(NOT_CANONICAL)) expect(names).toContain(name);
    for (const vector of VECTORS) expect(vector.source).not.toBe('');
  });
});
