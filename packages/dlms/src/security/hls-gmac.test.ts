import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { computeGmacAnswer, verifyGmacAnswer } from './hls-gmac.ts';

// Green Book example of HLS with GMAC.
const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const CLIENT = { cipher: nodeCipher, keys: KEYS, systemTitle: fromHex('4D4D4D0000000001'), challenge: fromHex('503677524A323146') };
const SERVER = { cipher: nodeCipher, keys: KEYS, systemTitle: fromHex('4D4D4D0000BC614E'), challenge: fromHex('4B35366956616759') };
const CLIENT_ANSWER = '10000000011A52FE7DD3E72748973C1E28';
const SERVER_ANSWER = '1001234567FE1466AFB3DBCD4F9389E2B7';

describe('HLS with GMAC', () => {
  it('computes the answers of the Green Book', () => {
    expect(toHex(computeGmacAnswer({ ...CLIENT, counter: 1 }))).toBe(CLIENT_ANSWER);
    expect(toHex(computeGmacAnswer({ ...SERVER, counter: 0x01234567 }))).toBe(SERVER_ANSWER);
  });

  it('accepts a right answer and returns its counter', () => {
    expect(verifyGmacAnswer(CLIENT, fromHex(CLIENT_ANSWER))).toBe(1);
    expect(verifyGmacAnswer(SERVER, fromHex(SERVER_ANSWER))).toBe(0x01234567);
  });

  it('refuses an answer of the other side, of another key, changed, or of another length', () => {
    expect(verifyGmacAnswer(SERVER, fromHex(CLIENT_ANSWER))).toBeUndefined();
    expect(verifyGmacAnswer({ ...CLIENT, keys: { ...KEYS, ak: KEYS.ek } }, fromHex(CLIENT_ANSWER))).toBeUndefined();
    for (let at = 0; at < 17; at++) {
      const changed = fromHex(CLIENT_ANSWER);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verifyGmacAnswer(CLIENT, changed)).toBeUndefined();
    }
    expect(verifyGmacAnswer(CLIENT, fromHex(CLIENT_ANSWER).subarray(0, 16))).toBeUndefined();
    expect(verifyGmacAnswer(CLIENT, new Uint8Array(0))).toBeUndefined();
  });

  it('computes no answer with a counter outside 32 bits', () => {
    expect(toHex(computeGmacAnswer({ ...CLIENT, counter: 0xffff_ffff })).slice(0, 10)).toBe('10FFFFFFFF');
    expect(() => computeGmacAnswer({ ...CLIENT, counter: 0x1_0000_0000 })).toThrow(RangeError);
    expect(() => computeGmacAnswer({ ...CLIENT, counter: -1 })).toThrow(RangeError);
  });
});
