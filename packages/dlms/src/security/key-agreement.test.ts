import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { agreeOnKey } from './key-agreement.ts';

const NOTHING = new Uint8Array(0);
const HEADER = {
  transactionId: fromHex('0000000000000007'),
  originatorSystemTitle: fromHex('4D4D4D0000000001'),
  recipientSystemTitle: fromHex('4752580000000001'),
  dateTime: NOTHING,
  otherInformation: NOTHING,
};

describe('a key agreed by static keys', () => {
  it('equals the key of gurux.dlms 4.0.47 for Java', () => {
    const agreementKey = new Uint8Array(32).fill(0x22);
    const peerAgreementKey = nodeCipher.publicKeyOf?.(new Uint8Array(32).fill(0x11)) ?? NOTHING;
    const { key } = agreeOnKey(nodeCipher, 1, HEADER, { kind: 'static', agreementKey, peerAgreementKey });
    expect(toHex(key)).toBe('632054B1678CBE2CB5B9572A29F825AF');
  });
});
