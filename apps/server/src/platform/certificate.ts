import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/** Tags of DER (X.690). */
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const UTF8_STRING = 0x0c;
const BOOLEAN = 0x01;
const GENERALIZED_TIME = 0x18;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const KEY_ID = 0x80;
/** Object identifiers of RFC 5280 and RFC 5758, encoded. */
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_KEY_ID = [0x55, 0x1d, 0x0e];
const ALT_NAMES = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const AUTHORITY_KEY_ID = [0x55, 0x1d, 0x23];
const EXTENDED_KEY_USAGE = [0x55, 0x1d, 0x25];
const SERVER_AUTH = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const SERIAL_OCTETS = 16;
/** Tolerance for slow clocks of browsers. */
const BEFORE_MS = 86_400_000;

function der(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content]);
}

const time = (at: number) => der(GENERALIZED_TIME, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
const extension = (oid: readonly number[], value: Uint8Array, isCritical = false) =>
  der(SEQUENCE, der(OID, oid), ...(isCritical ? [der(BOOLEAN, [0xff])] : []), der(OCTET_STRING, value));

/** Octets of an address; URL parsing normalises IPv6. */
function addressOctets(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail].map((text) => (text === '' ? [] : text.split(':'))) as [string[], string[]]; // as: two in, two out
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const pem = (label: string, octets: Buffer) =>
  `-----BEGIN ${label}-----\n${octets.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

export interface CertificateAndKey {
  cert: string;
  key: string;
}

/** Creates a self-signed certificate (X.509 v3, ECDSA P-256) for these names and addresses. */
export function selfSigned(names: readonly string[], from: number, until: number): CertificateAndKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const algorithm = der(SEQUENCE, der(OID, ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, COMMON_NAME), der(UTF8_STRING, Buffer.from(names[0] ?? 'head-end')))));
  const serial = randomBytes(SERIAL_OCTETS);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const keyId = createHash('sha1').update(publicKey).digest();
  const altNames = names.map((one) => (isIP(one) === 0 ? der(DNS_NAME, Buffer.from(one)) : der(IP_ADDRESS, addressOctets(one))));
  const extensions = [
    extension(SUBJECT_KEY_ID, der(OCTET_STRING, keyId)),
    extension(AUTHORITY_KEY_ID, der(SEQUENCE, der(KEY_ID, keyId))),
    extension(ALT_NAMES, der(SEQUENCE, ...altNames)),
    extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, [0xff])), true),
    extension(EXTENDED_KEY_USAGE, der(SEQUENCE, der(OID, SERVER_AUTH))),
  ];
  const signed = der(
    SEQUENCE,
    der(EXPLICIT_0, der(INTEGER, [2])),
    der(INTEGER, serial),
    algorithm,
    name,
    der(SEQUENCE, time(from - BEFORE_MS), time(until)),
    name,
    publicKey,
    der(EXPLICIT_3, der(SEQUENCE, ...extensions)),
  );
  const signature = sign('sha256', signed, privateKey);
  const cert = pem('CERTIFICATE', der(SEQUENCE, signed, algorithm, der(BIT_STRING, [0], signature)));
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}
