import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { ClientAssociation } from '../association/client.ts';
import type { ClientOptions } from '../association/client-options.ts';
import {
  exportCertificate,
  generateKeyPair,
  importCertificate,
  removeCertificate,
  requestCertificate,
} from '../association/client-credentials.ts';
import { runExchange } from '../association/exchange.ts';
import { LogicalDevice } from '../association/server.ts';
import { decode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { securitySetupV1 } from '../cosem/classes/security-setup.ts';
import { obis } from '../cosem/obis.ts';
import { issueCertificate, readCertificate, type KeyUse } from '../security/certificate.ts';
import { Credentials } from './credentials.ts';
import { ObjectModel } from './object-model.ts';
import { securitySetupObject, type SecurityContext } from './security-setup.ts';

const CLIENT_TITLE = fromHex('4845530000000001');
const METER_TITLE = fromHex('4D4D4D0000BC614E');
const SETUP = obis('0.0.43.0.0.255');
const MANAGEMENT = 1;
const NOW_MS = Date.UTC(2026, 10, 21);
const publicKeyOf = (key: Uint8Array): Uint8Array => nodeCipher.publicKeyOf?.(key) ?? key;

interface Side {
  privateKeys: Record<'digitalSignature' | 'keyAgreement', Uint8Array>;
}

/** An authority, a meter that trusts it, and a client with certificates from it. */
class World {
  readonly suite: 1 | 2;
  readonly authority: Uint8Array;
  readonly client: Side;
  readonly credentials: Credentials;
  readonly context: SecurityContext;
  readonly device: LogicalDevice;
  #serial = 0x80;
  #counters = { client: 0, server: 0, acceptedByServer: -1, acceptedByClient: -1 };

  constructor(suite: 1 | 2) {
    this.suite = suite;
    const size = suite === 1 ? 32 : 48;
    const key = (octet: number) => new Uint8Array(size).fill(octet);
    this.authority = key(0x11);
    this.client = { privateKeys: { digitalSignature: key(0x22), keyAgreement: key(0x33) } };
    this.credentials = new Credentials({
      cipher: nodeCipher,
      suite,
      systemTitle: METER_TITLE,
      authorities: [publicKeyOf(this.authority)],
      nowMs: () => NOW_MS,
    });
    this.context = {
      cipher: nodeCipher,
      suite,
      systemTitle: METER_TITLE,
      clientTitle: CLIENT_TITLE,
      policyBits: 0x6c,
      kek: new Uint8Array(suite === 1 ? 16 : 32),
      onKeys: (keys) => this.device.changeKeys(keys),
      credentials: this.credentials,
    };
    const model = new ObjectModel();
    model.add(securitySetupObject(this.context, { instance: SETUP }));
    this.device = new LogicalDevice({
      objects: model.find,
      systemTitle: METER_TITLE,
      keys: this.keys,
      cipher: nodeCipher,
      suite,
      credentials: this.credentials,
      rules: new Map([
        [MANAGEMENT, { mechanism: 'hlsGmac', ciphered: true }],
        [2, { mechanism: 'hlsEcdsa', ciphered: true }],
      ]),
      maxPduSize: 1024,
      counters: {
        next: () => this.#counters.server++,
        last: () => this.#counters.acceptedByServer,
        accept: (_title, counter) => (this.#counters.acceptedByServer = counter),
      },
    });
  }

  get keys() {
    const size = this.suite === 1 ? 16 : 32;
    return { ek: new Uint8Array(size).fill(1), ak: new Uint8Array(size).fill(2) };
  }

  certificate(subject: string, use: KeyUse, publicKey: Uint8Array, by = this.authority): Uint8Array {
    const content = { serialNumber: Uint8Array.of(this.#serial++), issuer: 'HES', from: '20260101000000Z', to: '20561231235959Z' };
    return issueCertificate(nodeCipher, by, { ...content, subject, publicKey, use });
  }

  opened(sap = MANAGEMENT, more: Partial<ClientOptions> = {}) {
    const association = new ClientAssociation({
      mechanism: sap === MANAGEMENT ? 'hlsGmac' : 'hlsEcdsa',
      ciphered: true,
      systemTitle: CLIENT_TITLE,
      keys: this.keys,
      suite: this.suite,
      cipher: nodeCipher,
      maxPduSize: 1024,
      nextCounter: () => this.#counters.client++,
      peer: { counter: this.#counters.acceptedByClient },
      onPeerCounter: (counter) => (this.#counters.acceptedByClient = counter),
      ...more,
    });
    const talk = (apdu: Uint8Array) => this.device.receive(sap, apdu);
    runExchange(association.open(), talk);
    return { association, of: { association, setup: SETUP }, talk };
  }

  /** Provisions a new meter: certified key pairs for each use, and the certificates of the client. */
  provision() {
    const { of, talk } = this.opened();
    for (const use of ['digitalSignature', 'keyAgreement'] as const) {
      expect(runExchange(generateKeyPair(of, use), talk)).toMatchObject({ ok: true });
      const request = runExchange(requestCertificate(of, nodeCipher, use), talk);
      if (!request.ok) throw new Error(request.result);
      const own = this.certificate(request.value.subject, use, request.value.publicKey);
      const clients = this.certificate(toHex(CLIENT_TITLE), use, publicKeyOf(this.client.privateKeys[use]));
      for (const one of [own, clients]) expect(runExchange(importCertificate(of, one), talk)).toMatchObject({ ok: true });
    }
  }

  peerKey(use: 'digitalSignature' | 'keyAgreement'): Uint8Array {
    return this.credentials.publicKeyOf(use, METER_TITLE) ?? new Uint8Array(0);
  }
}

let world: World;

describe.each([1, 2] as const)('a meter of suite %i that keeps certificates', (suite) => {
  beforeEach(() => {
    world = new World(suite);
  });

  it('generates its key pairs, and lists all imported certificates', () => {
    world.provision();
    const { association, of, talk } = world.opened();
    const attribute = { classId: 64, instance: SETUP, attributeId: 6 };
    const rows = runExchange(association.get(attribute), talk);
    expect(rows.ok && decode(securitySetupV1.attributes.certificates.codec, rows.data)).toMatchObject([
      { entity: 'server', type: 'digitalSignature' },
      { entity: 'client', type: 'digitalSignature' },
      { entity: 'server', type: 'keyAgreement' },
      { entity: 'client', type: 'keyAgreement' },
    ]);
    const byEntity = { by: 'entity', entity: 'server', type: 'keyAgreement', systemTitle: METER_TITLE } as const;
    const exported = runExchange(exportCertificate(of, byEntity), talk);
    const bySerial = { by: 'serial', serialNumber: fromHex('0082'), issuer: fromHex('484553') } as const;
    expect(runExchange(exportCertificate(of, bySerial), talk)).toEqual(exported);
    expect(exported.ok && new X509Certificate(exported.value).subject).toBe(`CN=${toHex(METER_TITLE)}`);
    expect(runExchange(removeCertificate(of, byEntity), talk)).toMatchObject({ ok: true });
    expect(runExchange(removeCertificate(of, byEntity), talk)).toEqual({ ok: false, result: 'objectUndefined' });
    expect(runExchange(exportCertificate(of, bySerial), talk)).toEqual({ ok: false, result: 'objectUndefined' });
  });

  it('accepts only clients that sign with the key of their certificate', () => {
    world.provision();
    const signing = { privateKey: world.client.privateKeys.digitalSignature, peerPublicKey: world.peerKey('digitalSignature') };
    const { association } = world.opened(2, { signing });
    expect(association.state).toBe('associated');
    const other = { ...signing, privateKey: world.client.privateKeys.keyAgreement };
    expect(() => world.opened(2, { signing: other })).toThrow('AUTH_FAILED');
    const { of, talk } = world.opened();
    const clients = { by: 'entity', entity: 'client', type: 'digitalSignature', systemTitle: CLIENT_TITLE } as const;
    expect(runExchange(removeCertificate(of, clients), talk)).toMatchObject({ ok: true });
    expect(() => world.opened(2, { signing })).toThrow('AUTH_FAILED');
  });

  it('agrees on new keys with its client without sending them', () => {
    world.provision();
    const { association, talk } = world.opened();
    const agreement = {
      setup: SETUP,
      keyIds: ['globalUnicastEncryption', 'authentication', 'master'] as const,
      signingKey: world.client.privateKeys.digitalSignature,
      peerSigningKey: world.peerKey('digitalSignature'),
    };
    const agreed = runExchange(association.agreeKeys(agreement), talk);
    if (!agreed.ok) throw new Error(agreed.result);
    expect(association.keys).toEqual({ ek: agreed.value.ek, ak: agreed.value.ak });
    expect(world.context.kek).toEqual(agreed.value.kek);
    expect(new Set(Object.values(agreed.value).map(toHex)).size).toBe(3);
    const policy = { classId: 64, instance: SETUP, attributeId: 2 };
    expect(runExchange(association.get(policy), talk)).toMatchObject({ ok: true });
    expect(() => world.opened()).toThrow();
    expect(world.opened(MANAGEMENT, { keys: { ...world.keys, ...association.keys } }).association.state).toBe('associated');
  });

  it('refuses a key agreement without a signature, and the keys stay', () => {
    world.provision();
    const { association, talk } = world.opened();
    const peerSigningKey = world.peerKey('digitalSignature');
    const wrong = { setup: SETUP, keyIds: ['authentication'] as const, signingKey: world.client.privateKeys.keyAgreement, peerSigningKey };
    expect(runExchange(association.agreeKeys(wrong), talk)).toEqual({ ok: false, result: 'otherReason' });
    expect(association.keys).toEqual(world.keys);
    const right = { ...wrong, signingKey: world.client.privateKeys.digitalSignature, peerSigningKey: world.peerKey('keyAgreement') };
    expect(() => runExchange(association.agreeKeys(right), talk)).toThrow('AUTH_FAILED');
  });

  it('protects with keys agreed by the certificates of both sides', () => {
    world.provision();
    const { digitalSignature: signingKey, keyAgreement: agreementKey } = world.client.privateKeys;
    const peer = { agreementKey, peerAgreementKey: world.peerKey('keyAgreement') };
    const policy = { classId: 64, instance: SETUP, attributeId: 2 };
    for (const choice of [
      { kind: 'static', ...peer },
      { kind: 'onePass', signingKey, peerAgreementKey: peer.peerAgreementKey },
    ] as const) {
      const { association, talk } = world.opened(MANAGEMENT, { generalCiphering: { choice, ...peer } });
      expect(runExchange(association.get(policy), talk)).toMatchObject({ ok: true });
    }
  });

  it('imports certificates of trusted authorities only, and device certificates for its key pairs only', () => {
    const stranger = new Uint8Array(world.authority.length).fill(0x44);
    const client = publicKeyOf(world.client.privateKeys.digitalSignature);
    const { of, talk } = world.opened();
    const take = (certificate: Uint8Array) => runExchange(importCertificate(of, certificate), talk).ok;
    expect(take(world.certificate(toHex(CLIENT_TITLE), 'digitalSignature', client, stranger))).toBe(false);
    expect(take(world.certificate(toHex(METER_TITLE), 'digitalSignature', client))).toBe(false);
    expect(take(fromHex('3000'))).toBe(false);
    expect(take(world.certificate('HES', 'certificateSign', publicKeyOf(stranger)))).toBe(true);
    expect(take(world.certificate(toHex(CLIENT_TITLE), 'digitalSignature', client, stranger))).toBe(true);
    const late = {
      serialNumber: Uint8Array.of(1),
      issuer: 'HES',
      subject: toHex(CLIENT_TITLE),
      from: '20200101000000Z',
      to: '20201231235959Z',
    };
    const past = issueCertificate(nodeCipher, stranger, { ...late, publicKey: client, use: 'digitalSignature' });
    expect([take(past), world.credentials.publicKeyOf('digitalSignature', CLIENT_TITLE)]).toEqual([true, undefined]);
  });
});

it('OpenSSL reads our certificates', () => {
  world = new World(1);
  const key = publicKeyOf(world.authority);
  const octets = world.certificate('HES', 'certificateSign', key);
  const theirs = new X509Certificate(octets);
  const ours = readCertificate(octets);
  expect(theirs.verify(theirs.publicKey)).toBe(true);
  expect(theirs.ca).toBe(true);
  expect([theirs.serialNumber, theirs.issuer]).toEqual(['80', `CN=${ours.issuer}`]);
  expect([theirs.validFromDate.getTime(), theirs.validToDate.getTime()]).toEqual([ours.fromMs, ours.toMs]);
  expect(theirs.publicKey.export({ format: 'jwk' })).toMatchObject({ x: Buffer.from(key.subarray(0, 32)).toString('base64url') });
});
