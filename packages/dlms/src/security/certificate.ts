import type { ByteReader } from '../codec/byte-reader.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { asciiOctets, asciiText } from '../codec/text.ts';
import { dayNumber } from '../cosem/civil-day.ts';
import { required, type Cipher } from './cipher.ts';
import { contextTag, DER, derInteger, derOf, derReader, enterDer, takeDer, wholeDer } from './der.ts';
import { commonNameOf, nameDer, publicKeyDer, readPublicKey, readSignature, signatureAlgorithm, signedDer } from './public-key-der.ts';

/** Key usage of a certificate. Only the key of an authority has `certificateSign`. */
export type KeyUse = 'digitalSignature' | 'keyAgreement' | 'certificateSign';

/** A decoded certificate. Its content is unverified until `isIssuedBy` has checked the signature. RFC 5280. */
export interface Certificate {
  /** The whole DER encoding, as it is stored and sent. */
  octets: Uint8Array;
  serialNumber: Uint8Array;
  /** Common names: the system title in hexadecimal for devices and clients, a free name for authorities. */
  issuer: string;
  subject: string;
  subjectAltName: Uint8Array;
  fromMs: number;
  toMs: number;
  publicKey: Uint8Array;
  uses: readonly KeyUse[];
  /** The octets that the issuer signed (TBSCertificate), and the signature r ‖ s. */
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
/** UTCTime has two-digit years; RFC 5280 assigns them to 1950–2049. */
const CENTURY_FROM = 50;
const FIRST_LONG_YEAR = '2050';
const DAY_MS = 86_400_000;

/** Verifies the signature of a certificate with the public key of its issuer. */
export const isIssuedBy = (cipher: Cipher, { signed, signature }: Certificate, issuerKey: Uint8Array): boolean =>
  required(cipher.verify, 'ECDSA')(issuerKey, signed, signature);

/** Decodes a certificate of P-256 or P-384. Throws `DecodeError` for any other. */
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
  wholeDer(content); // repeats the signature algorithm
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
      wholeDer(content); // issuerUniqueID and subjectUniqueID, which are obsolete
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
  // Only basicConstraints makes an authority; an authority may omit its key usage.
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

/** The most significant bit comes first. The first octet is the number of unused trailing bits. */
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
  if (year === undefined || month === undefined || day === undefined) input.fail({ code: 'BAD_VALUE', reason: 'invalid date-time' });
  return dayNumber({ year, month, day }) * DAY_MS + ((hour ?? 0) * 3600 + (minute ?? 0) * 60 + (second ?? 0)) * 1000;
}

/** Fields that an authority sets when it issues a certificate. */
export interface CertificateContent {
  serialNumber: Uint8Array;
  issuer: string;
  subject: string;
  /** GeneralizedTime as in RFC 5280: `20260101000000Z`. */
  from: string;
  to: string;
  publicKey: Uint8Array;
  use: KeyUse;
}

/** Encodes a certificate and signs it with the key of the issuer. */
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
