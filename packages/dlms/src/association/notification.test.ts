import { describe, expect, it } from 'vitest';
import { failureOf, KEYS, METER_TITLE } from '../../test/support/association-world.ts';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import { obis } from '../cosem/obis.ts';
import { confirmNotification, encodeEvent, encodeNotification, isConfirmation, decodeEvent, decodeNotification } from './notification.ts';

const BODY = fromHex('020209034C444E1101');
const dateTime = fromEpochMs(1_767_225_600_000, -480);
const protection = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc' as const, systemTitle: METER_TITLE, counter: 7 };
const keysOf = (lastCounter: number) => () => ({ cipher: nodeCipher, keys: KEYS, lastCounter });
const nobody = () => undefined;

describe('a data notification', () => {
  it('without protection is decoded, without an authenticated sender', () => {
    const opened = decodeNotification(encodeNotification({ longInvokeId: 300, dateTime, body: BODY }), nobody);
    expect(opened).toMatchObject({ longInvoke: { id: 300 }, dateTime, body: BODY, proof: undefined });
    expect(decodeNotification(encodeNotification({ longInvokeId: 0, body: BODY }), nobody).dateTime).toBeUndefined();
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
