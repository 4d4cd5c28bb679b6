import type { ByteReader } from '../codec/byte-reader.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { asciiOctets, asciiText } from '../codec/text.ts';
import { concatOctets, required, type Cipher } from './cipher.ts';
import { DER, derBits, derInteger, derOf, derReader, enterDer, takeBits, takeDer, takeInteger } from './der.ts';

// Object identifiers. RFC 5480, RFC 5758, RFC 5280.
const EC_PUBLIC_KEY = fromHex('2A8648CE3D0201');
const CURVES = { 32: fromHex('2A8648CE3D030107'), 48: fromHex('2B81040022') };
const SIGNATURES = { 32: fromHex('2A8648CE3D040302'), 48: fromHex('2A8648CE3D040303') };
const COMMON_NAME = fromHex('550403');
const UNCOMPRESSED = Uint8Array.of(0x04);

/** Octets of a coordinate or of a private key: 32 for P-256 (suite 1), 48 for P-384 (suite 2). */
const sizeOf = (octets: number): 32 | 48 => (octets === 48 ? 48 : 32);

/** Encodes X ‖ Y as SubjectPublicKeyInfo. */
export const publicKeyDer = (publicKey: Uint8Array): Uint8Array =>
  derOf(
    DER.sequence,
    derOf(DER.sequence, derOf(DER.objectIdentifier, EC_PUBLIC_KEY), derOf(DER.objectIdentifier, CURVES[sizeOf(publicKey.length / 2)])),
    derBits(concatOctets(UNCOMPRESSED, publicKey)),
  );

/** Decodes a SubjectPublicKeyInfo to X ‖ Y. Throws `DecodeError` unless the key is of P-256 or P-384. */
export function readPublicKey(input: ByteReader): Uint8Array {
  const info = enterDer(input, DER.sequence);
  const algorithm = enterDer(info, DER.sequence);
  expectOctets(algorithm, takeDer(algorithm, DER.objectIdentifier), [EC_PUBLIC_KEY], 'no key of an elliptic curve');
  const curve = takeDer(algorithm, DER.objectIdentifier);
  const size = expectOctets(algorithm, curve, [CURVES[32], CURVES[48]], 'neither P-256 nor P-384') === 0 ? 32 : 48;
  const point = takeBits(info);
  if (point.length !== 1 + 2 * size || point[0] !== UNCOMPRESSED[0]) info.fail({ code: 'BAD_LENGTH', length: point.length });
  return point.slice(1);
}

/** Encodes and signs the outer SEQUENCE that certificates and certification requests share. */
export function signedDer(cipher: Cipher, privateKey: Uint8Array, content: Uint8Array): Uint8Array {
  const signature = required(cipher.sign, 'ECDSA')(privateKey, content);
  const half = signature.length / 2;
  const parts = derOf(DER.sequence, derInteger(signature.subarray(0, half)), derInteger(signature.subarray(half)));
  return derOf(DER.sequence, content, signatureAlgorithm(privateKey.length), derBits(parts));
}

export const signatureAlgorithm = (keySize: number): Uint8Array =>
  derOf(DER.sequence, derOf(DER.objectIdentifier, SIGNATURES[sizeOf(keySize)]));

/** Reads the signature algorithm and the signature r ‖ s that follow the signed content. */
export function readSignature(input: ByteReader): Uint8Array {
  const algorithm = enterDer(input, DER.sequence);
  const name = takeDer(algorithm, DER.objectIdentifier);
  const size = expectOctets(algorithm, name, [SIGNATURES[32], SIGNATURES[48]], 'no signature of the suites') === 0 ? 32 : 48;
  const parts = enterDer(derReader(takeBits(input)), DER.sequence);
  return concatOctets(takeInteger(parts, size), takeInteger(parts, size));
}

/** A distinguished name of one common name: the system title in hexadecimal, or the name of an authority. */
export const nameDer = (commonName: string): Uint8Array =>
  derOf(
    DER.sequence,
    derOf(DER.set, derOf(DER.sequence, derOf(DER.objectIdentifier, COMMON_NAME), derOf(DER.utf8String, asciiOctets(commonName)))),
  );

/** The common name in a distinguished name; empty when there is none. */
export function commonNameOf(name: Uint8Array): string {
  const parts = enterDer(derReader(name), DER.sequence);
  while (parts.left > 0) {
    const attribute = enterDer(enterDer(parts, DER.set), DER.sequence);
    const type = takeDer(attribute, DER.objectIdentifier);
    const isCommonName = toHex(type) === toHex(COMMON_NAME);
    const text = takeDer(attribute, attribute.peek());
    if (isCommonName) return asciiText(text);
  }
  return '';
}

/** The index of `found` in `known`; fails when it is not one of them. */
function expectOctets(input: ByteReader, found: Uint8Array, known: readonly Uint8Array[], reason: string): number {
  const index = known.findIndex((octets) => toHex(octets) === toHex(found));
  return index >= 0 ? index : input.fail({ code: 'BAD_VALUE', reason });
}
