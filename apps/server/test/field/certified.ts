import { clientTitleOf } from '../../src/platform/client-title.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { readCertificateRequest } from '@hes/dlms/security/certificate-request.ts';
import type { KeyUse } from '@hes/dlms/security/certificate.ts';
import { expect } from 'vitest';
import { createAuthority, keyPair, pem } from '../authority.ts';
import type { TestApp, TestUser } from '../test-app.ts';

const USAGES = { digitalSignature: 'digital_signature', keyAgreement: 'key_agreement' } as const;
type Usage = keyof typeof USAGES;

/** A head-end with an authority and key pairs in both suites, made through the API as an operator does. */
export interface CertifiedHeadEnd {
  /** Public key X ‖ Y of the head-end. */
  publicKeyOf(suite: 1 | 2, usage?: Usage): Uint8Array;
  /** Imports a certificate of a device, by default with a new key; returns the private key. */
  certify(systemTitle: Uint8Array, suite: 1 | 2, options?: CertifyOptions): Promise<Uint8Array>;
}

export interface CertifyOptions {
  use?: KeyUse;
  fromMs?: number;
  toMs?: number;
  keys?: { privateKey: Uint8Array; publicKey: Uint8Array };
}

export async function certifyHeadEnd(
  app: TestApp,
  admin: TestUser,
  usages: readonly Usage[] = ['digitalSignature'],
): Promise<CertifiedHeadEnd> {
  const authorities = { 1: createAuthority('Test CA 256', 1), 2: createAuthority('Test CA 384', 2) };
  const title = toHex(clientTitleOf(app.ctx.secrets));
  const publicKeys = new Map<string, Uint8Array>();

  async function upload(file: string): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    const url = '/api/asset/certificate/file?name=certificates.pem';
    const answer = await app.call(admin, { method: 'POST', url, headers, payload: Buffer.from(file) });
    expect(answer.json(), answer.body).toMatchObject({ errors: 0 });
  }

  async function addKeyPair(suite: 1 | 2, use: Usage): Promise<void> {
    const made = await app.call(admin, { method: 'POST', url: '/api/asset/certificate/key-pair', payload: { usage: USAGES[use], suite } });
    const { body } = await app.call(admin, { url: `/api/asset/certificate/${made.json().id}/request` });
    const [, base64 = ''] = /REQUEST-----([^-]*)-----END/.exec(body) ?? [];
    const { publicKey } = readCertificateRequest(nodeCipher, new Uint8Array(Buffer.from(base64, 'base64')));
    publicKeys.set(`${suite} ${use}`, publicKey);
    await upload(pem(authorities[suite].issue({ subject: title, publicKey, use })));
  }

  await upload(pem(authorities[1].certificate) + pem(authorities[2].certificate));
  for (const suite of [1, 2] as const) for (const use of usages) await addKeyPair(suite, use);
  return {
    publicKeyOf: (suite, use = 'digitalSignature') => publicKeys.get(`${suite} ${use}`) ?? new Uint8Array(0),
    async certify(systemTitle, suite, { keys = keyPair(suite), ...options } = {}) {
      await upload(pem(authorities[suite].issue({ subject: toHex(systemTitle), publicKey: keys.publicKey, ...options })));
      return keys.privateKey;
    },
  };
}
