import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { CLIENT, METER, PLAIN, filled, header, publicKeyOf } from '../../test/support/general-message.ts';
import { DecodeError } from '../codec/decode-error.ts';
import type { SecuritySuite } from './cipher.ts';
import {
  unprotectGeneralCiphering,
  verifyGeneralSigning,
  protectGeneralCiphering,
  applyGeneralSigning,
  type GeneralUnprotectOptions,
  type GeneralProtection,
  type KeyChoice,
} from './general-protection.ts';

describe.each([
  { suite: 0, keySize: 16, curve: 32, choices: ['identified', 'wrapped'] },
  { suite: 1, keySize: 16, curve: 32, choices: ['identified', 'wrapped', 'onePass', 'static'] },
  { suite: 2, keySize: 32, curve: 48, choices: ['identified', 'wrapped', 'onePass', 'static'] },
])('general ciphering of suite $suite', ({ suite: number, keySize, curve, choices }) => {
  const suite = number as SecuritySuite; // as: one of the three
  const keys = { ek: filled(keySize, 1), ak: filled(keySize, 2) };
  const kek = filled(keySize, 3);
  const [clientSigning, clientAgreement, meterAgreement] = [filled(curve, 4), filled(curve, 5), filled(curve, 6)] as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]; // as: three of three
  const CHOICES: Record<string, KeyChoice> = {
    identified: { kind: 'identified', key: 'unicast' },
    wrapped: { kind: 'wrapped', kek },
    onePass: { kind: 'onePass', signingKey: clientSigning, peerAgreementKey: publicKeyOf(meterAgreement) },
    static: { kind: 'static', agreementKey: clientAgreement, peerAgreementKey: publicKeyOf(meterAgreement) },
  };
  const opening: GeneralUnprotectOptions = {
    cipher: nodeCipher,
    suite,
    policy: 'authEnc',
    keys,
    kek,
    agreementKey: meterAgreement,
    peerAgreementKey: publicKeyOf(clientAgreement),
    peerSigningKey: publicKeyOf(clientSigning),
    ownTitle: METER,
    peerTitle: CLIENT,
    lastCounter: () => 6,
  };

  describe.each(choices)('with a key that is %s', (choice) => {
    const protection: GeneralProtection = {
      cipher: nodeCipher,
      suite,
      policy: 'authEnc',
      keys,
      choice: CHOICES[choice] ?? { kind: 'wrapped', kek },
      counter: 7,
      header,
    };

    it.each(['auth', 'enc', 'authEnc'] as const)('unprotects its APDUs: %s', (policy) => {
      const apdu = protectGeneralCiphering(PLAIN, { ...protection, policy });
      expect(apdu[0]).toBe(0xdd);
      expect(unprotectGeneralCiphering(apdu, { ...opening, policy }).plain).toEqual(PLAIN);
    });

    it('refuses any changed octet', () => {
      const apdu = protectGeneralCiphering(PLAIN, protection);
      for (let at = 1; at < apdu.length; at++) {
        const changed = apdu.map((octet, i) => (i === at ? octet ^ 1 : octet));
        expect(() => unprotectGeneralCiphering(changed, opening)).toThrow(DecodeError);
      }
    });

    it('is bound to its sender and receiver', () => {
      const apdu = protectGeneralCiphering(PLAIN, protection);
      expect(() => unprotectGeneralCiphering(apdu, { ...opening, ownTitle: CLIENT })).toThrow('NOT_AUTHENTIC');
      expect(() => unprotectGeneralCiphering(apdu, { ...opening, peerTitle: METER })).toThrow('NOT_AUTHENTIC');
      expect(() => unprotectGeneralCiphering(apdu, { ...opening, keys: { ...keys, ak: keys.ek } })).toThrow('NOT_AUTHENTIC');
    });
  });

  it('refuses a repeated counter of an identified key', () => {
    const apdu = protectGeneralCiphering(PLAIN, {
      cipher: nodeCipher,
      suite,
      policy: 'authEnc',
      keys,
      choice: { kind: 'identified', key: 'unicast' },
      counter: 6,
      header,
    });
    expect(() => unprotectGeneralCiphering(apdu, opening)).toThrow('COUNTER_NOT_RISING');
  });

  it('refuses less protection, or another suite', () => {
    const protection: GeneralProtection = {
      cipher: nodeCipher,
      suite,
      policy: 'auth',
      keys,
      choice: { kind: 'wrapped', kek },
      counter: 0,
      header,
    };
    expect(() => unprotectGeneralCiphering(protectGeneralCiphering(PLAIN, protection), opening)).toThrow('BAD_VALUE');
    expect(() =>
      unprotectGeneralCiphering(protectGeneralCiphering(PLAIN, { ...protection, policy: 'authEnc' }), {
        ...opening,
        suite: suite === 0 ? 1 : 0,
      }),
    ).toThrow(DecodeError);
  });

  it('fails with DecodeError only on noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (noise) => {
        expect(() => unprotectGeneralCiphering(Uint8Array.of(0xdd, ...noise), opening)).toThrow(DecodeError);
      }),
    );
  });
});

describe.each([32, 48])('general signing with keys of %i octets', (size) => {
  const privateKey = filled(size, 9);
  const known = { cipher: nodeCipher, publicKey: publicKeyOf(privateKey), ownTitle: METER, peerTitle: CLIENT };

  it('authenticates sender and content', () => {
    const apdu = applyGeneralSigning(PLAIN, { cipher: nodeCipher, privateKey, header });
    expect(apdu[0]).toBe(0xdf);
    expect(verifyGeneralSigning(apdu, known).content).toEqual(PLAIN);
    for (let at = 1; at < apdu.length; at++)
      expect(() =>
        verifyGeneralSigning(
          apdu.map((octet, i) => (i === at ? octet ^ 1 : octet)),
          known,
        ),
      ).toThrow(DecodeError);
    expect(() => verifyGeneralSigning(apdu, { ...known, publicKey: publicKeyOf(filled(size, 8)) })).toThrow('NOT_AUTHENTIC');
  });
});
