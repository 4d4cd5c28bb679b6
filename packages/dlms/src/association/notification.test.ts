import { describe, expect, it } from 'vitest';
import { failureOf, KEYS, METER_TITLE } from '../../test/support/association-world.ts';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import { encodeNotification, openNotification } from './notification.ts';

const BODY = fromHex('020209034C444E1101');
const dateTime = fromEpochMs(1_767_225_600_000, -480);
const protection = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc' as const, systemTitle: METER_TITLE, counter: 7 };
const keysOf = (lastCounter: number) => () => ({ cipher: nodeCipher, keys: KEYS, lastCounter });
const nobody = () => undefined;

describe('a data notification', () => {
  it('without protection is read as it stands, and proves nothing', () => {
    const opened = openNotification(encodeNotification({ longInvokeId: 300, dateTime, body: BODY }), nobody);
    expect(opened).toMatchObject({ longInvoke: { id: 300 }, dateTime, body: BODY, proof: undefined });
    expect(openNotification(encodeNotification({ longInvokeId: 0, body: BODY }), nobody).dateTime).toBeUndefined();
  });

  it('with protection proves who sent it', () => {
    const apdu = encodeNotification({ longInvokeId: 1, body: BODY, protection });
    expect(openNotification(apdu, keysOf(6))).toMatchObject({ body: BODY, proof: { systemTitle: METER_TITLE, counter: 7 } });
  });

  it('of a stranger, repeated, or under another key is refused', () => {
    const apdu = encodeNotification({ longInvokeId: 1, body: BODY, protection });
    expect(failureOf(() => openNotification(apdu, nobody))).toMatchObject({ code: 'WRONG_TITLE', detail: 'unknown: 4D4D4D0000BC614E' });
    expect(() => openNotification(apdu, keysOf(7))).toThrow('COUNTER_NOT_RISING');
    const wrong = { ...protection, keys: { ...KEYS, ek: KEYS.ak } };
    expect(() => openNotification(encodeNotification({ longInvokeId: 1, body: BODY, protection: wrong }), keysOf(-1))).toThrow(
      'NOT_AUTHENTIC',
    );
    expect(() => openNotification(apdu.subarray(0, -1), keysOf(-1))).toThrow(DecodeError);
  });
});
