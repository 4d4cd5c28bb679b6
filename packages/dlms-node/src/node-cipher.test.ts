import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { nodeCipher } from './node-cipher.ts';

const KEY = fromHex('000102030405060708090A0B0C0D0E0F');
const IV = fromHex('4D4D4D0000BC614E01234567');
const AAD = fromHex('30D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF');
const PLAIN = fromHex('C0010000080000010000FF0200');

describe("Node's cipher", () => {
  it('encrypts as in the Green Book, with a tag of twelve octets', () => {
    const sealed = nodeCipher.seal(KEY, IV, AAD, PLAIN);
    expect(toHex(sealed)).toBe('411312FF935A47566827C467BC7D825C3BE4A77C3FCC056B6B');
    expect(nodeCipher.open(KEY, IV, AAD, sealed)).toEqual(PLAIN);
  });

  it('decrypts from an offset', () => {
    const sealed = nodeCipher.seal(KEY, IV, AAD, PLAIN);
    const apdu = Uint8Array.of(0xcc, 0x1e, ...sealed);
    expect(nodeCipher.open(KEY, IV, AAD, apdu, 2)).toEqual(PLAIN);
    expect(nodeCipher.open(KEY, IV, AAD, apdu, 1)).toBeUndefined();
    // Fewer octets than a tag are left; the octets before do not count.
    expect(nodeCipher.open(KEY, IV, AAD, apdu, apdu.length - 11)).toBeUndefined();
  });

  it('refuses changed or truncated ciphertext, and other associated data', () => {
    const sealed = nodeCipher.seal(KEY, IV, AAD, PLAIN);
    const changed = Uint8Array.from(sealed, (octet, i) => (i === 3 ? octet ^ 1 : octet));
    expect(nodeCipher.open(KEY, IV, AAD, changed)).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, PLAIN, sealed)).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, AAD, sealed.subarray(0, 11))).toBeUndefined();
    expect(nodeCipher.open(KEY, IV, AAD, sealed.subarray(0, -1))).toBeUndefined();
  });

  it('wraps keys as in RFC 3394 4.1, and unwraps only intact ones', () => {
    const key = fromHex('00112233445566778899AABBCCDDEEFF');
    const wrapped = fromHex('1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5');
    expect(nodeCipher.wrapKey?.(KEY, key)).toEqual(wrapped);
    expect(nodeCipher.unwrapKey?.(KEY, wrapped)).toEqual(key);
    expect(nodeCipher.unwrapKey?.(key, wrapped)).toBeUndefined();
    expect(nodeCipher.unwrapKey?.(KEY, wrapped.subarray(1))).toBeUndefined();
  });

  it('returns the requested number of random octets, different each time', () => {
    expect(nodeCipher.random(16)).toHaveLength(16);
    expect(nodeCipher.random(16)).not.toEqual(nodeCipher.random(16));
  });
});

describe("Node's digests and curves", () => {
  const ABC = fromHex('616263');
  const digest = (name: 'md5' | 'sha1' | 'sha256') => toHex(nodeCipher[name]?.(ABC) ?? new Uint8Array());

  it('are those of their standards', () => {
    expect(digest('md5')).toBe('900150983CD24FB0D6963F7D28E17F72');
    expect(digest('sha1')).toBe('A9993E364706816ABA3E25717850C26C9CD0D89D');
    expect(digest('sha256')).toBe('BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD');
    // FIPS 197, appendix B.
    const block = nodeCipher.encryptBlocks?.(fromHex('2B7E151628AED2A6ABF7158809CF4F3C'), fromHex('3243F6A8885A308D313198A2E0370734'));
    expect(toHex(block ?? new Uint8Array())).toBe('3925841D02DC09FBDC118597196A0B32');
  });

  it.each([32, 48])('sign, verify and agree with keys of %i octets', (size) => {
    const [ours, theirs] = [1, 2].map((value) => new Uint8Array(size).fill(value)) as [Uint8Array, Uint8Array]; // as: two of two
    const points = [ours, theirs].map((key) => nodeCipher.publicKeyOf?.(key) ?? new Uint8Array()) as [Uint8Array, Uint8Array]; // as: two of two
    const signature = nodeCipher.sign?.(ours, ABC) ?? new Uint8Array();
    expect(signature).toHaveLength(2 * size);
    expect(nodeCipher.verify?.(points[0], ABC, signature)).toBe(true);
    expect(nodeCipher.verify?.(points[1], ABC, signature)).toBe(false);
    expect(nodeCipher.verify?.(points[0], PLAIN, signature)).toBe(false);
    expect(nodeCipher.verify?.(points[0], ABC, signature.subarray(1))).toBe(false);
    expect(nodeCipher.verify?.(new Uint8Array(2 * size), ABC, signature)).toBe(false);
    expect(nodeCipher.computeSharedSecret?.(ours, points[1])).toEqual(nodeCipher.computeSharedSecret?.(theirs, points[0]));
    expect(nodeCipher.computeSharedSecret?.(ours, new Uint8Array(2 * size))).toBeUndefined();
  });
});
