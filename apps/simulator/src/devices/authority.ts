import { createHash } from 'node:crypto';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { readCertificateRequest } from '@hes/dlms/security/certificate-request.ts';
import { issueCertificate, type CertificateContent } from '@hes/dlms/security/certificate.ts';
import type { KeyPairs } from '@hes/dlms/association/server-options.ts';
import { signingKeyOf } from './keys.ts';

type SigningSuite = 1 | 2;

const NAME = 'Fleet authority';
const VALIDITY = { from: '20200101000000Z', to: '20491231235959Z' } as const;
const SERIAL_OCTETS = 8;
/** Octets of a public key X ‖ Y on P-256. */
const P256_OCTETS = 64;

/** The authority of the manufacturer: certifies the devices of the fleet, and the head-end whose signatures they accept. */
export interface Authority {
  /** Its own certificate in a suite. DER. */
  certificate(suite: SigningSuite): Uint8Array;
  /** The certificate of a device with this system title. DER. */
  certificateOf(device: { sn: string; systemTitle: Uint8Array }, suite: SigningSuite): Uint8Array;
  /** Certifies a head-end by its signing request (PKCS #10, DER); its devices know the public key from now on. Throws for a wrong request. */
  certify(request: Uint8Array): Uint8Array;
  /** Key pair of a device, and the public keys of certified head-ends. */
  keyPairsOf(sn: string, suite: SigningSuite): KeyPairs;
}

const publicKeyOf = (privateKey: Uint8Array): Uint8Array => {
  const key = nodeCipher.publicKeyOf?.(privateKey);
  if (key === undefined) throw new Error('This platform has no elliptic curves');
  return key;
};

export function createAuthority(seed: number): Authority {
  const headEnds = new Map<string, Uint8Array>();
  const ownKey = (suite: SigningSuite): Uint8Array => signingKeyOf(seed, NAME, suite);
  function issue(suite: SigningSuite, content: Pick<CertificateContent, 'subject' | 'publicKey' | 'use'>): Uint8Array {
    // Serial numbers are positive, so their highest bit is clear.
    const serialNumber = Uint8Array.from(
      createHash('sha256').update(`${content.subject}/${suite}/${content.use}`).digest().subarray(0, SERIAL_OCTETS),
    );
    serialNumber[0] = ((serialNumber[0] ?? 0) & 0x3f) | 0x40;
    return issueCertificate(nodeCipher, ownKey(suite), { ...content, ...VALIDITY, serialNumber, issuer: NAME });
  }
  return {
    certificate: (suite) => issue(suite, { subject: NAME, publicKey: publicKeyOf(ownKey(suite)), use: 'certificateSign' }),
    certificateOf: ({ sn, systemTitle }, suite) =>
      issue(suite, { subject: toHex(systemTitle), publicKey: publicKeyOf(signingKeyOf(seed, sn, suite)), use: 'digitalSignature' }),
    certify(request) {
      const { subject, publicKey } = readCertificateRequest(nodeCipher, request);
      const suite = publicKey.length === P256_OCTETS ? 1 : 2;
      headEnds.set(`${suite} ${subject.toUpperCase()}`, publicKey);
      return issue(suite, { subject, publicKey, use: 'digitalSignature' });
    },
    keyPairsOf: (sn, suite) => ({
      privateKey: (use) => (use === 'digitalSignature' ? signingKeyOf(seed, sn, suite) : undefined),
      publicKeyOf: (use, systemTitle) =>
        use === 'digitalSignature' ? headEnds.get(`${suite} ${toHex(systemTitle).toUpperCase()}`) : undefined,
    }),
  };
}

export const pemOf = (certificate: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate).toString('base64')}\n-----END CERTIFICATE-----\n`;

/** The octets of a signing request in PEM. Throws when there is none. */
export function requestIn(pem: string): Uint8Array {
  const [, base64] = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem) ?? [];
  if (base64 === undefined) throw new RangeError('Expected a signing request in PEM');
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
