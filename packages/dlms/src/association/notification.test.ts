import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyData } from '../../test/support/arbitraries.ts';
import { CLIENT_TITLE, failureOf, KEYS, METER_TITLE } from '../../test/support/association-world.ts';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import { obis } from '../cosem/obis.ts';
import { required } from '../security/cipher.ts';
import { applyGeneralSigning, protectGeneralCiphering, type KeyChoice } from '../security/general-protection.ts';
import {
  confirmNotification,
  decodeEvent,
  decodeNotification,
  decodeNotificationValue,
  encodeEvent,
  encodeNotification,
  isConfirmation,
} from './notification.ts';

const BODY = fromHex('020209034C444E1101');
const dateTime = fromEpochMs(1_767_225_600_000, -480);
const protection = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc' as const, systemTitle: METER_TITLE, counter: 7 };
const keysOf = (lastCounter: number) => () => ({ cipher: nodeCipher, keys: KEYS, lastCounter });
const nobody = () => undefined;

function valueOrFault(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return error.fault.code;
    throw error;
  }
}

describe('a data notification', () => {
  it('without protection is decoded, without an authenticated sender', () => {
    const opened = decodeNotification(encodeNotification({ longInvokeId: 300, dateTime, body: BODY }), nobody);
    expect(opened).toMatchObject({ longInvoke: { id: 300 }, dateTime, body: BODY, proof: undefined });
    expect(decodeNotification(encodeNotification({ longInvokeId: 0, body: BODY }), nobody).dateTime).toBeUndefined();
  });

  it('has in one pass the value, or the fault, that it has in two', () => {
    const twoPasses = (apdu: Uint8Array) => {
      const { body, ...rest } = decodeNotification(apdu, keysOf(-1));
      return { ...rest, value: decode(dataCodec, body) };
    };
    const onePass = (apdu: Uint8Array) => decodeNotificationValue(apdu, keysOf(-1));
    fc.assert(
      fc.property(anyData, fc.boolean(), fc.nat(3), (data, isProtected, missing) => {
        const whole = encodeNotification({
          longInvokeId: 1,
          dateTime,
          body: encode(dataCodec, data),
          ...(isProtected ? { protection } : {}),
        });
        const apdu = whole.subarray(0, whole.length - missing);
        expect(valueOrFault(() => onePass(apdu))).toEqual(valueOrFault(() => twoPasses(apdu)));
      }),
    );
  });

  it('with protection has an authenticated sender', () => {
    const apdu = encodeNotification({ longInvokeId: 1, body: BODY, protection });
    expect(decodeNotification(apdu, keysOf(6))).toMatchObject({ body: BODY, proof: { systemTitle: METER_TITLE, counter: 7 } });
  });

  it('of an unknown sender, replayed, or under another key is refused', () => {
    const apdu = encodeNotification({ longInvokeId: 1, body: BODY, protection });
    expect(failureOf(() => decodeNotification(apdu, nobody))).toMatchObject({ code: 'WRONG_TITLE', detail: 'unknown: 4D4D4D0000BC614E' });
    expect(() => decodeNotification(apdu, keysOf(7))).toThrow('COUNTER_NOT_RISING');
    const wrong = { ...protection, keys: { ...KEYS, ek: KEYS.ak } };
    expect(() => decodeNotification(encodeNotification({ longInvokeId: 1, body: BODY, protection: wrong }), keysOf(-1))).toThrow(
      'NOT_AUTHENTIC',
    );
    expect(() => decodeNotification(apdu.subarray(0, -1), keysOf(-1))).toThrow(DecodeError);
  });
});

describe.each([
  { suite: 1, curve: 32, keySize: 16 },
  { suite: 2, curve: 48, keySize: 32 },
] as const)('a notification with certificates of suite $suite', ({ suite, curve, keySize }) => {
  const publicKeyOf = required(nodeCipher.publicKeyOf, 'publicKeyOf');
  const filled = (size: number, value: number) => new Uint8Array(size).fill(value);
  const keys = { ek: filled(keySize, 1), ak: filled(keySize, 2) };
  const [ownAgreement, meterAgreement, meterSigning] = [filled(curve, 3), filled(curve, 4), filled(curve, 5)];
  const header = { transactionId: fromHex('0000000000000001'), originatorSystemTitle: METER_TITLE, recipientSystemTitle: CLIENT_TITLE };
  const certified = {
    ownTitle: CLIENT_TITLE,
    agreementKey: ownAgreement,
    peerAgreementKey: publicKeyOf(meterAgreement),
    peerSigningKey: publicKeyOf(meterSigning),
  };
  const known = { cipher: nodeCipher, keys, suite, lastCounter: 6, certified };
  const plain = encodeNotification({ longInvokeId: 1, body: BODY });
  const CHOICES = {
    'one-pass Diffie-Hellman': { kind: 'onePass', signingKey: meterSigning, peerAgreementKey: publicKeyOf(ownAgreement) },
    'static keys': { kind: 'static', agreementKey: meterAgreement, peerAgreementKey: publicKeyOf(ownAgreement) },
    'the global key': { kind: 'identified', key: 'unicast' },
  } as const;
  const agreed = (choice: KeyChoice, change: object = {}) =>
    protectGeneralCiphering(plain, {
      cipher: nodeCipher,
      suite,
      policy: 'authEnc',
      keys,
      choice,
      counter: 7,
      header: { ...header, ...change },
    });
  const global = (systemTitle = METER_TITLE) =>
    encodeNotification({ longInvokeId: 1, body: BODY, protection: { ...protection, keys, suite, systemTitle } });
  const signed = (content: Uint8Array, change: object = {}, privateKey = meterSigning) =>
    applyGeneralSigning(content, { cipher: nodeCipher, privateKey, header: { ...header, ...change } });
  const opened = (apdu: Uint8Array, change: object = {}) => decodeNotification(apdu, () => ({ ...known, ...change }));

  it.each(Object.entries(CHOICES))('is opened under %s, and refused when it is replayed', (_, choice) => {
    expect(opened(agreed(choice))).toMatchObject({ body: BODY, proof: { systemTitle: METER_TITLE, counter: 7 } });
    expect(() => opened(agreed(choice), { lastCounter: 7 })).toThrow('COUNTER_NOT_RISING');
  });

  it('is opened when it is signed, around each form', () => {
    for (const content of [global(), ...Object.values(CHOICES).map((choice) => agreed(choice))])
      expect(opened(signed(content))).toMatchObject({ body: BODY, proof: { systemTitle: METER_TITLE, counter: 7 } });
    expect(() => opened(signed(global()), { lastCounter: 7 })).toThrow('COUNTER_NOT_RISING');
  });

  it('is refused when signature, certificate, key or recipient are others', () => {
    const other = {
      certified: { ...certified, peerSigningKey: publicKeyOf(filled(curve, 9)), peerAgreementKey: publicKeyOf(filled(curve, 8)) },
    };
    expect(() => opened(signed(global(), {}, filled(curve, 9)))).toThrow('NOT_AUTHENTIC');
    expect(() => opened(signed(global()), other)).toThrow('NOT_AUTHENTIC');
    for (const choice of [CHOICES['one-pass Diffie-Hellman'], CHOICES['static keys']])
      expect(() => opened(agreed(choice), other)).toThrow('NOT_AUTHENTIC');
    expect(() => opened(signed(global(), { recipientSystemTitle: fromHex('4845530000000002') }))).toThrow('NOT_AUTHENTIC');
    expect(() => opened(agreed(CHOICES['static keys'], { recipientSystemTitle: fromHex('4845530000000002') }))).toThrow('NOT_AUTHENTIC');
    const damaged = signed(global());
    damaged.set([(damaged.at(-1) ?? 0) ^ 1], damaged.length - 1);
    expect(() => opened(damaged)).toThrow('NOT_AUTHENTIC');
  });

  it('is refused when its content is plain, signed twice, or of another sender', () => {
    const codeOf = (apdu: Uint8Array, change?: object) => failureOf(() => opened(apdu, change))?.code;
    for (const content of [plain, signed(global())]) expect(() => opened(signed(content))).toThrow('BAD_VALUE');
    expect(codeOf(signed(global(fromHex('4D4D4D0000BC614F'))))).toBe('WRONG_TITLE');
    expect(codeOf(signed(global()), { certified: undefined })).toBe('DECRYPT_FAILED');
    expect(codeOf(agreed(CHOICES['static keys']), { certified: undefined })).toBe('DECRYPT_FAILED');
    expect(codeOf(signed(global()), { certified: { ownTitle: CLIENT_TITLE } })).toBe('DECRYPT_FAILED');
    expect(failureOf(() => decodeNotification(signed(global()), nobody))?.code).toBe('WRONG_TITLE');
  });
});

describe('a confirmed notification', () => {
  it('is confirmed with the same long invoke id and protection', () => {
    const asked = decodeNotification(encodeNotification({ longInvokeId: 77, body: BODY, confirmed: true, protection }), keysOf(-1));
    const plain = confirmNotification(asked) ?? new Uint8Array();
    expect(plain[0]).toBe(0x10);
    expect(isConfirmation(plain, 77, nobody)).toBe(true);
    expect(isConfirmation(plain, 78, nobody)).toBe(false);
    const sealed = confirmNotification(asked, { dateTime, protection }) ?? new Uint8Array();
    expect(isConfirmation(sealed, 77, keysOf(-1))).toBe(true);
    expect(() => isConfirmation(sealed, 77, keysOf(7))).toThrow('COUNTER_NOT_RISING');
  });

  it('is not confirmed without a request for confirmation', () => {
    expect(confirmNotification(decodeNotification(encodeNotification({ longInvokeId: 77, body: BODY }), nobody))).toBeUndefined();
  });
});

describe('an event notification', () => {
  const event = { attribute: { classId: 1, instance: obis('0.0.97.98.0.255'), attributeId: 2 }, data: fromHex('0600000001') };

  it('carries one attribute, with an optional time', () => {
    expect(decodeEvent(encodeEvent(event), nobody)).toMatchObject({ ...event, proof: undefined });
    expect(decodeEvent(encodeEvent({ ...event, time: dateTime }), nobody)).toMatchObject({ time: dateTime });
  });

  it('has an authenticated sender when it is protected', () => {
    const sealed = encodeEvent(event, { ...protection, form: 'general' });
    expect(decodeEvent(sealed, keysOf(6))).toMatchObject({ ...event, proof: { counter: 7 } });
    expect(() => decodeEvent(sealed, keysOf(7))).toThrow(DecodeError);
  });
});
