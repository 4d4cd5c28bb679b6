import { createECDH } from 'node:crypto';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { issueCertificate, type KeyUse } from '@hes/dlms/security/certificate.ts';

const CURVES = { 1: 'prime256v1', 2: 'secp384r1' } as const;
const OCTETS = { 1: 32, 2: 48 } as const;
let serial = 0;

/** A private key of a suite and its public key X ‖ Y. */
export function keyPair(suite: 1 | 2): { privateKey: Uint8Array; publicKey: Uint8Array } {
  const ecdh = createECDH(CURVES[suite]);
  const publicKey = new Uint8Array(ecdh.generateKeys().subarray(1));
  const privateKey = new Uint8Array(OCTETS[suite]);
  const key = ecdh.getPrivateKey();
  privateKey.set(key, privateKey.length - key.length);
  return { privateKey, publicKey };
}

export const pem = (octets: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(octets).toString('base64')}\n-----END CERTIFICATE-----\n`;

/** GeneralizedTime of an instant. */
const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;

const DAY_MS = 86_400_000;

interface Issued {
  subject: string;
  publicKey: Uint8Array;
  use?: KeyUse;
  fromMs?: number;
  toMs?: number;
}

/** An authority that issues certificates for a test. By default they are valid from yesterday for a year. */
export function createAuthority(name: string, suite: 1 | 2) {
  const own = keyPair(suite);
  const issue = ({ subject, publicKey, use = 'digitalSignature', fromMs = Date.now() - DAY_MS, toMs = fromMs + 365 * DAY_MS }: Issued) =>
    issueCertificate(nodeCipher, own.privateKey, {
      serialNumber: Uint8Array.of(1, 0, ++serial),
      issuer: name,
      subject,
      from: moment(fromMs),
      to: moment(toMs),
      publicKey,
      use,
    });
  return { name, issue, certificate: issue({ subject: name, publicKey: own.publicKey, use: 'certificateSign' }) };
}
