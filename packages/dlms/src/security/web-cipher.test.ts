import { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { CLIENT, METER, PLAIN, filled, header, publicKeyOf } from '../../test/support/general-message.ts';
import ciphered from '../../test/vectors/ciphered.json' with { type: 'json' };
import { decodeNotification, encodeNotification } from '../association/notification.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { required, type Cipher, type SecuritySuite } from './cipher.ts';
import {
  applyGeneralSigning,
  protectGeneralCiphering,
  unprotectGeneralCiphering,
  verifyGeneralSigning,
  type KeyChoice,
} from './general-protection.ts';
import { protect, readCipheredApdu, unprotect } from './protection.ts';
import { withWebCrypto } from './web-cipher.ts';

const inBrowser = <T>(compute: (cipher: Cipher) => T): Promise<T> => withWebCrypto(webcrypto, compute);

describe('the cipher of a browser', () => {
  const open = ciphered.filter(
    ({ expect: verdict, keys }) => verdict === 'ok' && keys !== undefined && 'ak' in keys && 'systemTitle' in keys,
  );

  it.each(open.map((vector) => [vector.name, vector] as const))('deciphers the published message %s', async (_, { hex, keys, decoded }) => {
    const { sc, plain } = decoded as { sc?: string; plain?: string }; // as: the shape of this file
    if (sc === undefined || plain === undefined) return;
    const policy = ({ '10': 'auth', '20': 'enc', '30': 'authEnc' } as const)[sc.replace(/.$/, '0')] ?? 'authEnc';
    const apdu = readCipheredApdu(fromHex(hex));
    const { ek, ak, systemTitle } = keys as { ek: string; ak: string; systemTitle: string }; // as: the shape of this file
    const options = {
      keys: { ek: fromHex(ek), ak: fromHex(ak) },
      policy,
      systemTitle: fromHex(systemTitle),
      lastCounter: -1,
      dedicatedKey: fromHex(ek),
    };
    const opened = await inBrowser((cipher) => unprotect(apdu, { ...options, cipher, suite: apdu.securityControl & 0x0f }));
    expect(toHex(opened)).toBe(plain);
  });

  it('is the same as the cipher of Node, operation by operation', async () => {
    for (const size of [16, 32]) {
      const [key, iv, aad] = [filled(size, 7), filled(12, 8), filled(17, 9)];
      const sealed = await inBrowser((cipher) => cipher.seal(key, iv, aad, PLAIN));
      expect(sealed).toEqual(nodeCipher.seal(key, iv, aad, PLAIN));
      expect(await inBrowser((cipher) => cipher.open(key, iv, aad, Uint8Array.of(1, 2, ...sealed), 2))).toEqual(PLAIN);
      expect(await inBrowser((cipher) => cipher.open(key, iv, aad, sealed.subarray(1)))).toBeUndefined();
      expect(await inBrowser((cipher) => cipher.open(key, iv, aad, sealed.subarray(0, 11)))).toBeUndefined();
      const wrapped = nodeCipher.wrapKey?.(key, aad.subarray(0, 16)) ?? PLAIN;
      expect(await inBrowser((cipher) => cipher.wrapKey?.(key, aad.subarray(0, 16)))).toEqual(wrapped);
      expect(await inBrowser((cipher) => cipher.unwrapKey?.(key, wrapped))).toEqual(aad.subarray(0, 16));
      expect(await inBrowser((cipher) => cipher.unwrapKey?.(key, wrapped.toReversed()))).toBeUndefined();
    }
    for (const name of ['sha1', 'sha256', 'sha384'] as const)
      expect(await inBrowser((cipher) => cipher[name]?.(PLAIN))).toEqual(nodeCipher[name]?.(PLAIN));
  });

  it.each([32, 48])('signs, verifies and agrees with keys of %i octets', async (size) => {
    const [ours, theirs] = [filled(size, 1), filled(size, 2)];
    const signature = await inBrowser((cipher) => cipher.sign?.(ours, PLAIN));
    expect(nodeCipher.verify?.(publicKeyOf(ours), PLAIN, signature ?? PLAIN)).toBe(true);
    const verify = (publicKey: Uint8Array, octets: Uint8Array) =>
      inBrowser((cipher) => cipher.verify?.(publicKey, octets, signature ?? PLAIN));
    expect(await verify(publicKeyOf(ours), PLAIN)).toBe(true);
    expect(await verify(publicKeyOf(theirs), PLAIN)).toBe(false);
    expect(await verify(new Uint8Array(2 * size), PLAIN)).toBe(false);
    const secret = await inBrowser((cipher) => cipher.computeSharedSecret?.(ours, publicKeyOf(theirs)));
    expect(secret).toEqual(nodeCipher.computeSharedSecret?.(theirs, publicKeyOf(ours)));
    expect(await inBrowser((cipher) => cipher.computeSharedSecret?.(ours, new Uint8Array(2 * size)))).toBeUndefined();
  });
});

describe.each([
  { suite: 0, keySize: 16, curve: 32, choices: ['identified', 'wrapped'] },
  { suite: 1, keySize: 16, curve: 32, choices: ['identified', 'wrapped', 'onePass', 'static'] },
  { suite: 2, keySize: 32, curve: 48, choices: ['identified', 'wrapped', 'onePass', 'static'] },
])('in suite $suite, a browser', ({ suite: number, keySize, curve, choices }) => {
  const suite = number as SecuritySuite; // as: one of the three
  const keys = { ek: filled(keySize, 1), ak: filled(keySize, 2) };
  const kek = filled(keySize, 3);
  const [signing, agreement, meter] = [filled(curve, 4), filled(curve, 5), filled(curve, 6)];
  const CHOICES: Record<string, KeyChoice> = {
    identified: { kind: 'identified', key: 'unicast' },
    wrapped: { kind: 'wrapped', kek },
    onePass: { kind: 'onePass', signingKey: signing, peerAgreementKey: publicKeyOf(meter) },
    static: { kind: 'static', agreementKey: agreement, peerAgreementKey: publicKeyOf(meter) },
  };

  it.each(choices)('opens general ciphering with a key that is %s', async (choice) => {
    const protection = { cipher: nodeCipher, suite, policy: 'authEnc', keys, counter: 7, header } as const;
    const apdu = protectGeneralCiphering(PLAIN, { ...protection, choice: CHOICES[choice] ?? { kind: 'wrapped', kek } });
    const known = {
      suite,
      policy: 'authEnc',
      keys,
      kek,
      agreementKey: meter,
      ownTitle: METER,
      peerTitle: CLIENT,
      lastCounter: () => -1,
    } as const;
    const peer = { peerAgreementKey: publicKeyOf(agreement), peerSigningKey: publicKeyOf(signing) };
    const { plain } = await inBrowser((cipher) => unprotectGeneralCiphering(apdu, { cipher, ...known, ...peer }));
    expect(plain).toEqual(PLAIN);
  });

  it('verifies signatures around an APDU', async () => {
    const signed = applyGeneralSigning(PLAIN, { cipher: nodeCipher, privateKey: signing, header });
    const known = { publicKey: publicKeyOf(signing), ownTitle: METER, peerTitle: CLIENT };
    expect((await inBrowser((cipher) => verifyGeneralSigning(signed, { cipher, ...known }))).content).toEqual(PLAIN);
    await expect(inBrowser((cipher) => verifyGeneralSigning(signed, { cipher, ...known, publicKey: publicKeyOf(meter) }))).rejects.toThrow(
      DecodeError,
    );
  });
});

describe('a computation with the cipher of a browser', () => {
  const keys = { ek: filled(16, 1), ak: filled(16, 2) };
  const protection = { cipher: nodeCipher, keys, policy: 'authEnc', systemTitle: METER, form: 'general' } as const;
  const options = { keys, policy: 'authEnc', systemTitle: METER, lastCounter: -1 } as const;

  it('runs once more than it has operations, and with octets of many messages at once', async () => {
    const apdus = Array.from({ length: 20 }, (_, counter) => protect(Uint8Array.of(0xc4, counter), { ...protection, counter }));
    let runs = 0;
    const opened = await Promise.all(
      apdus.map((apdu) =>
        inBrowser((cipher) => {
          runs++;
          return unprotect(readCipheredApdu(apdu), { ...options, cipher });
        }),
      ),
    );
    expect(opened).toEqual(apdus.map((_, counter) => Uint8Array.of(0xc4, counter)));
    expect(runs).toBe(40);
  });

  it('decodes a ciphered push', async () => {
    const push = encodeNotification({ longInvokeId: 5, body: fromHex('0600001391'), protection: { ...protection, counter: 3 } });
    const { body, proof } = await inBrowser((cipher) => decodeNotification(push, () => ({ ...options, cipher })));
    expect([body, proof?.counter]).toEqual([fromHex('0600001391'), 3]);
  });

  it('rejects with the error of the computation, and with that of the platform', async () => {
    const apdu = protect(PLAIN, { ...protection, counter: 1 });
    const changed = apdu.map((octet, at) => (at === apdu.length - 1 ? octet ^ 1 : octet));
    await expect(inBrowser((cipher) => unprotect(readCipheredApdu(changed), { ...options, cipher }))).rejects.toThrow(DecodeError);
    await expect(inBrowser((cipher) => cipher.seal(filled(5, 0), filled(12, 0), PLAIN, PLAIN))).rejects.toThrow();
    await expect(inBrowser((cipher) => required(cipher.md5, 'md5')(PLAIN))).rejects.toThrow('Missing: md5');
  });
});
