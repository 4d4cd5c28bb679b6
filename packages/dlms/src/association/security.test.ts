import { createCipheriv } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import {
  AssociationWorld,
  CLIENT_TITLE,
  CLOCK,
  failureOf,
  KEYS,
  LONG,
  METER_TITLE,
  REGISTER,
  SECURITY_SETUP,
} from '../../test/support/association-world.ts';
import { aare } from '../acse/aare.ts';
import { aarq } from '../acse/aarq.ts';
import { decode, encode } from '../codec/codec.ts';
import { fromHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { required, type SecuritySuite } from '../security/cipher.ts';
import { unwrapKeys, wrapKeys } from '../security/key-transfer.ts';
import { protect } from '../security/protection.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import { setRequest } from '../xdlms/set.ts';
import { ClientAssociation } from './client.ts';
import { runExchange } from './exchange.ts';
import type { GeneralKeys } from './secure-channel.ts';

const SECRET = fromHex('4775727578');
const octetsFrom = (first: number, size: number) => Uint8Array.from({ length: size }, (_, i) => first + i);
const LONG_KEYS = { ek: octetsFrom(0, 32), ak: octetsFrom(0x80, 32) };
const publicKeyOf = required(nodeCipher.publicKeyOf, 'publicKeyOf');
const NUMBER = encode(dataCodec, { type: 'unsigned', value: 7 });

let world: AssociationWorld;
beforeEach(() => {
  world = new AssociationWorld();
});

function opened(options: Parameters<AssociationWorld['client']>[0] = {}): ClientAssociation {
  const client = world.client(options);
  runExchange(client.open(), world.talk);
  return client;
}

const codeOf = (use: () => unknown): string | undefined => failureOf(use)?.code;
const reads = (client: ClientAssociation) => expect(runExchange(client.get(REGISTER), world.talk)).toMatchObject({ ok: true });

describe.each(['hls', 'hlsMd5', 'hlsSha1', 'hlsSha256'] as const)('an association with %s', (mechanism) => {
  it.each([false, true])('opens with the same secret on both sides, ciphered: %s', (ciphered) => {
    world = new AssociationWorld({ rule: { mechanism, ciphered, password: SECRET } });
    reads(opened({ mechanism, ciphered, password: SECRET }));
  });

  it('fails with another secret', () => {
    world = new AssociationWorld({ rule: { mechanism, ciphered: false, password: SECRET } });
    expect(codeOf(() => opened({ mechanism, ciphered: false, password: fromHex('00') }))).toBe('AUTH_FAILED');
    expect(world.device.isAssociated(1)).toBe(false);
    expect(world.failures).toEqual([
      { side: 'server', code: 'AUTH_FAILED' },
      { side: 'client', code: 'AUTH_FAILED' },
    ]);
  });
});

describe('an association with mechanism 2', () => {
  const rule = { mechanism: 'hls' as const, ciphered: false, password: SECRET };
  const options = { mechanism: 'hls' as const, ciphered: false, password: SECRET };

  it('encrypts challenges of 16 octets with AES-128-ECB under the password padded with zeros', () => {
    world = new AssociationWorld({ rule });
    reads(opened(options));
    const [request = SECRET, response = SECRET, proof] = world.frames.map(({ apdu }) => apdu);
    const cipher = createCipheriv('aes-128-ecb', Buffer.concat([SECRET, Buffer.alloc(16 - SECRET.length)]), null).setAutoPadding(false);
    expect(decode(aarq, request).authenticationValue).toHaveLength(16);
    expect(proof?.slice(-16)).toEqual(new Uint8Array(cipher.update(decode(aare, response).authenticationValue ?? SECRET)));
  });

  it.each([8, 15, 17, 32, 64])('does not answer a challenge of %i octets', (size) => {
    world = new AssociationWorld({ rule });
    const talk = (apdu: Uint8Array) => {
      const answer = world.talk(apdu);
      if (answer?.[0] !== APDU_TAGS.aare) return answer;
      return encode(aare, { ...decode(aare, answer), authenticationValue: octetsFrom(3, size) });
    };
    expect(codeOf(() => runExchange(world.client(options).open(), talk))).toBe('CHALLENGE_UNSUPPORTED');
    expect(world.frames.map(({ apdu }) => apdu[0])).toEqual([APDU_TAGS.aarq, APDU_TAGS.aare]);
    expect(world.failures).toEqual([]);
    expect(codeOf(() => opened({ ...options, challengeSize: size }))).toBe('EXCEPTION');
  });

  it('takes a password of at most 16 octets', () => {
    world = new AssociationWorld({ rule: { ...rule, password: octetsFrom(1, 16) } });
    reads(opened({ ...options, password: octetsFrom(1, 16) }));
    expect(() => opened({ ...options, password: octetsFrom(1, 17) })).toThrow('a password of at most 16 octets');
  });
});

it.each([
  ['low', 'a password'],
  ['hls', 'a password'],
  ['hlsMd5', 'a password'],
  ['hlsSha1', 'a password'],
  ['hlsSha256', 'a password'],
  ['hlsGmac', 'keys'],
  ['hlsEcdsa', 'a private key, and the public key of the peer'],
] as const)('an association with %s without %s fails before it sends anything', (mechanism, what) => {
  const { password: _password, keys: _keys, ...bare } = world.optionsOf({ mechanism, ciphered: false });
  expect(() => new ClientAssociation(bare).open().next()).toThrow(`Mechanism ${mechanism} needs ${what}`);
  expect(world.frames).toEqual([]);
});

describe.each([
  { suite: 1, keys: KEYS, size: 32 },
  { suite: 2, keys: LONG_KEYS, size: 48 },
] as const)('security suite $suite', ({ suite, keys, size }) => {
  const clientKey = octetsFrom(1, size);
  const meterKey = octetsFrom(77, size);
  const signing = { privateKey: clientKey, peerPublicKey: publicKeyOf(meterKey) };
  const meter = { suite: suite as SecuritySuite, keys, privateKey: meterKey };

  it('opens and reads with GMAC', () => {
    world = new AssociationWorld(meter);
    reads(opened({ suite, keys }));
    reads(opened({ suite, keys, generalProtection: true }));
    reads(opened({ suite, keys, ciphered: false, sap: 4 }));
  });

  it('opens with valid signatures only', () => {
    const rule = { mechanism: 'hlsEcdsa' as const, ciphered: true, publicKey: publicKeyOf(clientKey) };
    world = new AssociationWorld({ ...meter, rule });
    reads(opened({ suite, keys, mechanism: 'hlsEcdsa', signing }));
    const stranger = { ...signing, privateKey: meterKey };
    expect(codeOf(() => opened({ suite, keys, mechanism: 'hlsEcdsa', signing: stranger }))).toBe('AUTH_FAILED');
    const other = { ...signing, peerPublicKey: publicKeyOf(clientKey) };
    expect(codeOf(() => opened({ suite, keys, mechanism: 'hlsEcdsa', signing: other }))).toBe('AUTH_FAILED');
  });

  it('refuses another suite', () => {
    world = new AssociationWorld(meter);
    expect(codeOf(() => opened({ suite: 0, keys: KEYS }))).toBe('EXCEPTION');
  });

  it('refuses keys of another size', () => {
    expect(() => world.client({ suite, keys: suite === 2 ? KEYS : LONG_KEYS })).toThrow(RangeError);
  });
});

describe('a dedicated key', () => {
  const dedicatedKey = fromHex('F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');

  it.each([false, true])(
    'protects all after the authentication, whose passes go under the global key, general: %s',
    (generalProtection) => {
      const client = opened({ dedicatedKey, generalProtection });
      reads(client);
      const tags = world.frames.map(({ apdu }) => apdu[0]);
      expect(tags).toEqual(generalProtection ? [0x60, 0x61, 0xdb, 0xdb, 0xdc, 0xdc] : [0x60, 0x61, 0xcb, 0xcf, 0xd0, 0xd4]);
      runExchange(client.release(), world.talk);
      expect(world.device.isAssociated(1)).toBe(false);
    },
  );

  it('has separate counters that start with the association', () => {
    const before = world.nextClientCounter;
    const client = opened({ dedicatedKey });
    reads(client);
    reads(client);
    // InitiateRequest, GMAC, and the APDU that carries the GMAC.
    expect(world.nextClientCounter - before).toBe(3);
    reads(opened({ dedicatedKey }));
  });

  it('of a wrong size is refused', () => {
    expect(() => world.client({ dedicatedKey: fromHex('00') })).toThrow(RangeError);
  });

  it('refuses a replay', () => {
    const client = opened({ dedicatedKey });
    let request: Uint8Array = new Uint8Array(0);
    runExchange(client.get(REGISTER), (apdu) => world.talk((request = apdu.slice())));
    expect(world.talk(request)?.subarray(0, 3)).toEqual(fromHex('D80206'));
  });
});

describe.each([
  { suite: 1, keys: KEYS, size: 32 },
  { suite: 2, keys: LONG_KEYS, size: 48 },
] as const)('general signing in suite $suite', ({ suite, keys, size }) => {
  const clientKey = octetsFrom(1, size);
  const meterKey = octetsFrom(77, size);
  const signing = { privateKey: clientKey, peerPublicKey: publicKeyOf(meterKey) };
  const rule = { mechanism: 'hlsGmac' as const, ciphered: true, publicKey: publicKeyOf(clientKey) };
  const client = { suite, keys, signing, generalSigning: true };
  const worldOf = (signed: boolean) => new AssociationWorld({ suite, keys, privateKey: meterKey, rule: { ...rule, signed } });
  const tagsOf = () => world.frames.map(({ apdu }) => apdu[0]);

  it.each([
    ['service-specific protection', {}],
    ['general protection', { generalProtection: true }],
    ['a dedicated key', { dedicatedKey: octetsFrom(0x66, keys.ek.length) }],
    ['general ciphering', { generalCiphering: { choice: { kind: 'identified', key: 'unicast' } } }],
  ] as const)('encloses %s in both directions, within the PDU size', (_, options) => {
    world = worldOf(true);
    const association = opened({ ...client, ...options, maxPduSize: 512 });
    expect(runExchange(association.get(LONG), world.talk)).toEqual({ ok: true, data: world.longData });
    expect(new Set(tagsOf().slice(2))).toEqual(new Set([0xdf]));
    expect(Math.max(...world.frames.map(({ apdu }) => apdu.length))).toBeLessThanOrEqual(512);
    runExchange(association.release(), world.talk);
    expect(world.device.isAssociated(1)).toBe(false);
  });

  it('applies to responses only when the request used it', () => {
    world = worldOf(false);
    const association = opened({ suite, keys, maxPduSize: 64 });
    expect(runExchange(association.get(LONG), world.talk)).toEqual({ ok: true, data: world.longData });
    expect(tagsOf()).not.toContain(0xdf);
  });

  it('is required when the rule says so', () => {
    world = worldOf(true);
    expect(codeOf(() => opened({ suite, keys }))).toBe('EXCEPTION');
  });

  it('is verified by both sides', () => {
    world = worldOf(true);
    expect(codeOf(() => opened({ ...client, signing: { ...signing, privateKey: meterKey } }))).toBe('EXCEPTION');
    expect(codeOf(() => opened({ ...client, signing: { ...signing, peerPublicKey: publicKeyOf(clientKey) } }))).toBe('DECRYPT_FAILED');
  });

  it('must also protect the response', () => {
    world = worldOf(true);
    const association = opened(client);
    const answer = {
      cipher: nodeCipher,
      suite,
      keys,
      policy: 'authEnc',
      systemTitle: METER_TITLE,
      counter: 9999,
      form: 'service-specific',
    } as const;
    const unsigned = () => protect(fromHex('C401C2001101'), answer);
    expect(failureOf(() => runExchange(association.get(REGISTER), unsigned))).toMatchObject({
      code: 'DECRYPT_FAILED',
      detail: 'the response is not signed',
    });
  });

  it('is refused when replayed', () => {
    world = worldOf(true);
    const association = opened(client);
    let request: Uint8Array = new Uint8Array(0);
    runExchange(association.get(REGISTER), (apdu) => world.talk((request = apdu.slice())));
    expect(world.talk(request)?.subarray(0, 3)).toEqual(fromHex('D80206'));
  });

  it('requires keys on both sides', () => {
    world = new AssociationWorld({ suite, keys });
    expect(codeOf(() => opened(client))).toBe('EXCEPTION');
    expect(() => opened({ suite, keys, generalSigning: true })).toThrow('General signing needs a private key');
  });
});

describe('new keys', () => {
  const kek = octetsFrom(0x33, 16);
  const keys = { ek: octetsFrom(0x44, 16), ak: octetsFrom(0x55, 16) };
  const setup = SECURITY_SETUP.instance;

  it('are valid from the next APDU, with counters restarted', () => {
    const client = opened();
    let proved = 0;
    let counter = 0;
    const change = { setup, kek, keys, nextCounter: () => counter++, onNewKeysUsed: () => void proved++ };
    expect(runExchange(client.transferKeys(change), world.talk)).toMatchObject({ ok: true });
    expect(proved).toBe(0);
    reads(client);
    expect({ proved, counter }).toEqual({ proved: 1, counter: 1 });
    reads(client);
    expect(proved).toBe(1);
    expect(codeOf(() => opened())).toBe('EXCEPTION');
    world.acceptedByClient = -1;
    world.nextClientCounter = 10;
    reads(opened({ keys }));
  });

  it('are refused under a wrong master key, and the old ones stay', () => {
    const client = opened();
    expect(runExchange(client.transferKeys({ setup, kek: keys.ek, keys }), world.talk)).toMatchObject({ ok: false });
    reads(client);
  });

  it('leave an in-flight response readable', () => {
    const client = opened();
    const talk = world.talk;
    let late: Uint8Array | undefined;
    const exchange = client.get(REGISTER);
    late = talk(exchange.next().value as Uint8Array); // as: the first step is a request
    runExchange(client.transferKeys({ setup, kek, keys }), talk);
    const next = client.get(CLOCK);
    const request = next.next().value as Uint8Array; // as: the first step is a request
    // Only the order of counters matters here, so a newly protected APDU with a lower counter stands for the old response.
    late = protect(fromHex('C401C2000600001391'), {
      cipher: nodeCipher,
      keys: KEYS,
      policy: 'authEnc',
      systemTitle: METER_TITLE,
      counter: 5000,
      form: 'service-specific',
    });
    expect(next.next(late)).toEqual({ done: false, value: new Uint8Array(0) });
    expect(next.next(talk(request) ?? request)).toMatchObject({ done: true, value: { ok: true } });
  });

  it('can be unwrapped with the master key only', () => {
    const wrapped = wrapKeys(nodeCipher, kek, { ...keys, bk: keys.ak, kek: keys.ek });
    expect(unwrapKeys(nodeCipher, kek, wrapped)).toEqual({ ...keys, bk: keys.ak, kek: keys.ek });
    expect(unwrapKeys(nodeCipher, keys.ek, wrapped)).toBeUndefined();
  });
});

describe('the broadcast key', () => {
  const bk = octetsFrom(0x66, 16);
  const sealed = (attribute: typeof REGISTER, counter: number, key: Uint8Array = bk) =>
    protect(encode(setRequest, { kind: 'normal', invoke: { id: 1, confirmed: true, highPriority: false }, attribute, data: NUMBER }), {
      cipher: nodeCipher,
      keys: { ...KEYS, bk: key },
      policy: 'authEnc',
      systemTitle: CLIENT_TITLE,
      counter,
      form: 'service-specific',
      broadcast: true,
    });

  it('unprotects broadcasts with separate counters', () => {
    world = new AssociationWorld({ keys: { ...KEYS, bk } });
    opened();
    expect(world.talk(sealed(CLOCK, 0))?.[0]).toBe(0xcd);
    expect(world.talk(sealed(CLOCK, 0))?.subarray(0, 3)).toEqual(fromHex('D80206'));
    expect(world.talk(sealed(CLOCK, 1, KEYS.ek))).toEqual(fromHex('D80205'));
  });

  it('is limited to clock and image transfer', () => {
    world = new AssociationWorld({ keys: { ...KEYS, bk } });
    opened();
    expect(world.talk(sealed(REGISTER, 0))).toEqual(fromHex('D80101'));
  });

  it('is refused by a device without one', () => {
    opened();
    expect(world.talk(sealed(CLOCK, 0))).toEqual(fromHex('D80205'));
  });
});

describe('failed verifications', () => {
  it('are reported on both sides, once each', () => {
    const client = opened();
    const answer = () =>
      protect(fromHex('C401C200'), {
        cipher: nodeCipher,
        keys: { ...KEYS, ek: KEYS.ak },
        policy: 'authEnc',
        systemTitle: METER_TITLE,
        counter: 9999,
        form: 'service-specific',
      });
    expect(codeOf(() => runExchange(client.get(REGISTER), answer))).toBe('DECRYPT_FAILED');
    expect(codeOf(() => opened({ keys: { ...KEYS, ek: KEYS.ak } }))).toBe('EXCEPTION');
    expect(world.failures).toEqual([
      { side: 'client', code: 'DECRYPT_FAILED' },
      { side: 'server', code: 'DECRYPT_FAILED' },
    ]);
  });
});

describe('general ciphering', () => {
  const kek = octetsFrom(0x33, 16);
  const [clientKey, meterKey] = [octetsFrom(1, 32), octetsFrom(77, 32)] as [Uint8Array, Uint8Array]; // as: two of two
  const peerOf = (key: Uint8Array) => ({ peerAgreementKey: publicKeyOf(key), peerSigningKey: publicKeyOf(key) });
  const agreement = (own: Uint8Array, peer: Uint8Array, kind: 'onePass' | 'static'): GeneralKeys => ({
    agreementKey: own,
    ...peerOf(peer),
    choice:
      kind === 'onePass'
        ? { kind, signingKey: own, peerAgreementKey: publicKeyOf(peer) }
        : { kind, agreementKey: own, peerAgreementKey: publicKeyOf(peer) },
  });
  const shared: GeneralKeys = { choice: { kind: 'identified', key: 'unicast' } };
  const wrapped: GeneralKeys = { kek, choice: { kind: 'wrapped', kek } };

  it.each([
    ['identified', shared, shared],
    ['wrapped', wrapped, wrapped],
    ['agreed on in one pass', agreement(clientKey, meterKey, 'onePass'), agreement(meterKey, clientKey, 'onePass')],
    ['agreed on by static keys', agreement(clientKey, meterKey, 'static'), agreement(meterKey, clientKey, 'static')],
  ])('with a key that is %s protects requests and answers', (_, generalCiphering, meters) => {
    world = new AssociationWorld({ suite: 1, generalCiphering: meters });
    const client = opened({ suite: 1, generalCiphering });
    reads(client);
    expect(world.frames.slice(2).map(({ apdu }) => apdu[0])).toEqual([0xdd, 0xdd, 0xdd, 0xdd]);
    const sizes: number[] = [];
    expect(
      runExchange(client.get(LONG), (apdu) => {
        const answer = world.talk(apdu);
        sizes.push(apdu.length, answer?.length ?? 0);
        return answer;
      }),
    ).toEqual({ ok: true, data: world.longData });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
    runExchange(client.release(), world.talk);
    expect(world.device.isAssociated(1)).toBe(false);
  });

  it('is refused when replayed, even with a fresh key', () => {
    world = new AssociationWorld({ generalCiphering: wrapped });
    const client = opened({ generalCiphering: wrapped });
    let request: Uint8Array = new Uint8Array(0);
    runExchange(client.get(REGISTER), (apdu) => world.talk((request = apdu.slice())));
    expect(world.talk(request)?.subarray(0, 3)).toEqual(fromHex('D80206'));
    reads(client);
  });

  it('with a key that the peer lacks is refused', () => {
    world = new AssociationWorld();
    expect(codeOf(() => opened({ generalCiphering: wrapped }))).toBe('EXCEPTION');
  });
});
