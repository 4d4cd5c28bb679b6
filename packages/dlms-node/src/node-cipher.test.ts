import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { nodeCipher } from './node-cipher.ts';

const KEY = fromHex('000102030405060708090A0B0C0D0E0F');
const IV = fromHex('4D4D4D0000BC614E01234567');
const AAD = fromHex('30D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF');
const PLAIN = fromHex('C0010000080000010000FF0200');

describe("Node's cipher", () => {
  it('seals as in the Green Book, with a tag of twelve octets', () => {
    const sealed = nodeCipher.seal(KEY, IV, AAD, PLAIN);
    expect(toHex(sealed)).toBe('411312FF935A47566827C467BC7D825C3BE4A77C3FCC056B6B');
    expect(nodeCipher.open(KEY, IV, AAD, sealed)).toEqual(PLAIN);
  });

  it('opens nothing that was changed, cut, or sealed with other data', () => {
    const sealed = nodeCipher.seal(KEY, IV, AAD, PLAIN);
    const changed = Uint8Array.from(sealed, (octet, i) => (i === 3 ? octet ^ 1 : octet));
    expect(nodeCipher.open(KEY, IV, AAD, changed)).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, PLAIN, sealed)).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, AAD, sealed.subarray(0, 11))).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, AAD, sealed.subarray(0, -1))).toBeUndefined();
  });

  it('wraps keys as RFC 3394 4.1 says, and unwraps only what is intact', () => {
    const key = fromHex('00112233445566778899AABBCCDDEEFF');
    const wrapped = fromHex('1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5');
    expect(nodeCipher.wrapKey?.(KEY, key)).toEqual(wrapped);
    expect(nodeCipher.unwrapKey?.(KEY, wrapped)).toEqual(key);
    expect(nodeCipher.unwrapKey?.(key, wrapped)).toBeUndefined();
    expect(nodeCipher.unwrapKey?.(KEY, wrapped.subarray(1))).toBeUndefined();
  });

  it('gives as many random octets as asked, and others each time', () => {
    expect(nodeCipher.random(16)).toHaveLength(16);
    expect(nodeCipher.random(16)).not.toEqual(nodeCipher.random(16));
  });
});
