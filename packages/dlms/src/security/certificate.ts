import type { ByteReader } from '../codec/byte-reader.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { asciiOctets, asciiText } from '../codec/text.ts';
import { dayNumber } from '../cosem/civil-day.ts';
import { required, type Cipher } from './cipher.ts';
import { contextTag, DER, derInteger, derOf, derReader, enterDer, takeDer, wholeDer } from './der.ts';
import { commonNameOf, nameDer, publicKeyDer, readPublicKey, readSignature, signatureAlgorithm, signedDer } from './public-key-der.ts';

/** What the key of a certificate may do. An authority's signs certificates. */
export type KeyUse = 'digitalSignature' | 'keyAgreement' | 'certificateSign';

/** A certificate taken apart. Nothing in it is proved until its signature is. RFC 5280. */
export interface Certificate {
  /** All of it, as it is kept and sent. */
  octets: Uint8Array;
  serialNumber: Uint8Array;
  /** Common names: a system title in hexadecimal, or what an authority is called. */
  issuer: string;
  subject: string;
  subjectAltName: Uint8Array;
  fromMs: number;
  toMs: number;
  publicKey: Uint8Array;
  uses: readonly KeyUse[];
  /** What its issuer signed, and the signature r ‖ s. */
  signed: Uint8Array;
  signature: Uint8Array;
}

const VERSION_3 = Uint8Array.of(2);
// Object identifiers of extensions. RFC 5280 4.2.1.
const KEY_USAGE = fromHex('551D0F');
const BASIC_CONSTRAINTS = fromHex('551D13');
const SUBJECT_ALT_NAME = fromHex('551D11');
const USE_BITS = { digitalSignature: 0x80, keyAgreement: 0x08, certificateSign: 0x04 } as const satisfies Record<KeyUse, number>;
const USES = Object.keys(USE_BITS) as KeyUse[]; // as: keys() widens
const TRUE = Uint8Array.of(0xff);
/** From 1950 to 2049 years are written with two digits. */
const CENTURY_FROM = 50;
const FIRST_LONG_YEAR = '2050';
const DAY_MS = 86_400_000;

/** Whoever holds the private key of `issuerKey` says that this is a certificate. */
export const isIssuedBy = (cipher: Cipher, { signed, signature }: Certificate, issuerKey: Uint8Array): boolean =>
  required(cipher.verify, 'ECDSA')(issuerKey, signed, signature);

/** Reads a certificate of P-256 or P-384. Throws `DecodeError` for any other. */
export function readCertificate(octets: Uint8Array): Certificate {
  const input = derReader(octets);
  const certificate = input.field('certificate', () => {
    const whole = enterDer(input, DER.sequence);
    const signed = wholeDer(whole);
    return { ...readContent(derReader(signed)), signed, signature: readSignature(whole), octets };
  });
  input.done();
  return certificate;
}

function readContent(input: ByteReader): Omit<Certificate, 'signed' | 'signature' | 'octets'> {
  const content = enterDer(input, DER.sequence);
  if (content.peek() === contextTag(0)) wholeDer(content);
  const serialNumber = takeDer(content, DER.integer);
  wholeDer(content); // the algorithm, once more
  const issuer = commonNameOf(wholeDer(content));
  const validity = enterDer(content, DER.sequence);
  const [fromMs, toMs] = [readMoment(validity), readMoment(validity)];
  const subject = commonNameOf(wholeDer(content));
  const publicKey = readPublicKey(content);
  return { serialNumber, issuer, subject, fromMs, toMs, publicKey, ...readExtensions(content) };
}

function readExtensions(content: ByteReader): Pick<Certificate, 'uses' | 'subjectAltName'> {
  const extensions = new Map<string, Uint8Array>();
  while (content.left > 0) {
    if (content.peek() !== contextTag(3)) {
      wholeDer(content); // identifiers that nobody uses any more
      continue;
    }
    const list = enterDer(enterDer(content, contextTag(3)), DER.sequence);
    while (list.left > 0) {
      const extension = enterDer(list, DER.sequence);
      const name = toHex(takeDer(extension, DER.objectIdentifier));
      if (extension.peek() === DER.boolean) takeDer(extension, DER.boolean);
      extensions.set(name, takeDer(extension, DER.octetString));
    }
  }
  const usage = extensions.get(toHex(KEY_USAGE));
  // Only who is said to be an authority is one; an authority may leave its usage out.
  const isAuthority = readsAuthority(extensions.get(toHex(BASIC_CONSTRAINTS)));
  const said: KeyUse[] = usage === undefined && isAuthority ? ['certificateSign'] : readUses(usage);
  const uses = said.filter((use) => use !== 'certificateSign' || isAuthority);
  return { uses, subjectAltName: extensions.get(toHex(SUBJECT_ALT_NAME)) ?? new Uint8Array(0) };
}

function readsAuthority(constraints: Uint8Array | undefined): boolean {
  if (constraints === undefined) return false;
  const parts = enterDer(derReader(constraints), DER.sequence);
  return parts.left > 0 && parts.peek() === DER.boolean && takeDer(parts, DER.boolean)[0] !== 0;
}

/** Bits from the left; the first octet says how many at the end do not count. */
function readUses(value: Uint8Array | undefined): KeyUse[] {
  if (value === undefined) return [];
  const [, bits = 0] = takeDer(derReader(value), DER.bitString);
  return USES.filter((use) => (bits & USE_BITS[use]) !== 0);
}

function readMoment(input: ByteReader): number {
  const tag = input.peek();
  if (tag !== DER.utcTime && tag !== DER.generalizedTime) input.fail({ code: 'UNKNOWN_TAG', tag });
  const text = asciiText(takeDer(input, tag));
  const shortYear = Number(text.slice(0, 2));
  const long = tag === DER.utcTime ? `${shortYear < CENTURY_FROM ? '20' : '19'}${text}` : text;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(long)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) input.fail({ code: 'BAD_VALUE', reason: 'no moment' });
  return dayNumber({ year, month, day }) * DAY_MS + ((hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0)) * 1000;
}

/** What an authority puts into a certificate. */
export interface CertificateContent {
  serialNumber: Uint8Array;
  issuer: string;
  subject: string;
  /** As RFC 5280 writes moments: `20260101000000Z`. */
  from: string;
  to: string;
  publicKey: Uint8Array;
  use: KeyUse;
}

/** A certificate under the key of its issuer. */
export function issueCertificate(cipher: Cipher, issuerPrivateKey: Uint8Array, content: CertificateContent): Uint8Array {
  const { serialNumber, issuer, subject, from, to, publicKey, use } = content;
  return signedDer(
    cipher,
    issuerPrivateKey,
    derOf(
      DER.sequence,
      derOf(contextTag(0), derOf(DER.integer, VERSION_3)),
      derInteger(serialNumber),
      signatureAlgorithm(issuerPrivateKey.length),
      nameDer(issuer),
      derOf(DER.sequence, moment(from), moment(to)),
      nameDer(subject),
      publicKeyDer(publicKey),
      derOf(contextTag(3), derOf(DER.sequence, ...extensionsOf(use))),
    ),
  );
}

const moment = (text: string): Uint8Array =>
  text < FIRST_LONG_YEAR ? derOf(DER.utcTime, asciiOctets(text.slice(2))) : derOf(DER.generalizedTime, asciiOctets(text));

function extensionsOf(use: KeyUse): Uint8Array[] {
  const extension = (name: Uint8Array, value: Uint8Array) =>
    derOf(DER.sequence, derOf(DER.objectIdentifier, name), derOf(DER.boolean, TRUE), derOf(DER.octetString, value));
  const bits = USE_BITS[use];
  const unused = 31 - Math.clz32(bits & -bits);
  const usage = extension(KEY_USAGE, derOf(DER.bitString, Uint8Array.of(unused, bits)));
  if (use !== 'certificateSign') return [usage];
  return [usage, extension(BASIC_CONSTRAINTS, derOf(DER.sequence, derOf(DER.boolean, TRUE)))];
}
