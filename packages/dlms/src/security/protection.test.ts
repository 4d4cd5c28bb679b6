import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../../dlms-node/src/node-cipher.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { CIPHERED_TAGS, cipheredApdu } from '../xdlms/ciphered.ts';
import { protect, protectionOverhead, readCipheredApdu, unprotect, type UnprotectOptions, type Protection } from './protection.ts';

// Green Book example: keys, title, counter and APDU.
const KEYS = { ek: fromHex('000102030405060708090A0B0C0D0E0F'), ak: fromHex('D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF') };
const TITLE = fromHex('4D4D4D0000BC614E');
const PLAIN = fromHex('C0010000080000010000FF0200');
const SENDER: Protection = {
  cipher: nodeCipher,
  keys: KEYS,
  policy: 'authEnc',
  systemTitle: TITLE,
  counter: 0x01234567,
  form: 'service-specific',
};
const RECEIVER: UnprotectOptions = { cipher: nodeCipher, keys: KEYS, policy: 'authEnc', systemTitle: TITLE, lastCounter: -1 };

const open = (apdu: Uint8Array, opening: Partial<UnprotectOptions> = {}) => unprotect(readCipheredApdu(apdu), { ...RECEIVER, ...opening });
const faultOf = (attempt: () => unknown): unknown => {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return error.fault.code;
    throw error;
  }
};

describe('protection of an APDU', () => {
  it.each([
    ['authEnc', 'C81E3001234567411312FF935A47566827C467BC7D825C3BE4A77C3FCC056B6B'],
    ['enc', 'C8122001234567411312FF935A47566827C467BC'],
    ['auth', 'C81E1001234567C0010000080000010000FF020006725D910F9221D263877516'],
  ] as const)('produces the octets of the Green Book for policy %s', (policy, hex) => {
    expect(toHex(protect(PLAIN, { ...SENDER, policy }))).toBe(hex);
    expect(toHex(open(fromHex(hex), { policy }))).toBe(toHex(PLAIN));
  });

  it('binds the security suite into the tag', () => {
    const suite1 = 'C81E3101234567411312FF935A47566827C467BCE8691C99484B00B2449055B5';
    expect(toHex(protect(PLAIN, { ...SENDER, suite: 1 }))).toBe(suite1);
    expect(faultOf(() => open(fromHex(suite1)))).toBe('BAD_VALUE');
  });

  it('unprotects APDUs of every form, policy, key and size', () => {
    const dedicatedKey = fromHex('FFEEDDCCBBAA99887766554433221100');
    const forms = fc.constantFrom('service-specific' as const, 'general' as const);
    const policies = fc.constantFrom('auth' as const, 'enc' as const, 'authEnc' as const);
    const counters = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(forms, policies, counters, fc.boolean(), fc.uint8Array({ maxLength: 400 }), (form, policy, counter, dedicated, body) => {
        const plain = Uint8Array.of(0xc4, ...body);
        const key = dedicated ? { dedicatedKey } : {};
        const apdu = protect(plain, { ...SENDER, form, policy, counter, ...key });
        expect(open(apdu, { policy, ...key })).toEqual(plain);
        expect(apdu.length - plain.length).toBeLessThanOrEqual(protectionOverhead(form));
      }),
    );
  });

  it.each([
    ['a READ request', '050102FA08', 0x25, 0x45],
    ['a READ response', '0C01000600001391', 0x2c, 0x4c],
    ['a WRITE request', '060102003801 0F00', 0x26, 0x46],
    ['a WRITE response', '0D0100', 0x2d, 0x4d],
    ['an unconfirmed write', '160102003801 0F00', 0x36, 0x56],
    ['a report', '18000102001001 1201F4', 0x38, 0x58],
  ])('uses a service-specific form for %s by short name under either key', (_, hex, glo, ded) => {
    const plain = fromHex(hex);
    const dedicatedKey = fromHex('FFEEDDCCBBAA99887766554433221100');
    for (const [tag, key] of [
      [glo, {}],
      [ded, { dedicatedKey }],
    ] as const) {
      const apdu = protect(plain, { ...SENDER, ...key });
      expect(apdu[0]).toBe(tag);
      expect(open(apdu, key)).toEqual(plain);
    }
  });

  it('uses the general form for an APDU without a service-specific one', () => {
    const apdu = protect(Uint8Array.of(0x0f, 1, 2), SENDER);
    expect(apdu[0]).toBe(0xdb);
    expect(readCipheredApdu(apdu)).toMatchObject({ systemTitle: TITLE, invocationCounter: 0x01234567, plainTag: undefined });
  });

  it('accepts a general form without title', () => {
    const apdu = protect(PLAIN, { ...SENDER, form: 'general' });
    const untitled = Uint8Array.of(0xdb, 0, ...apdu.subarray(10));
    expect(readCipheredApdu(untitled).systemTitle).toBeUndefined();
    expect(open(untitled)).toEqual(PLAIN);
  });

  it('refuses every single changed bit', () => {
    const apdu = protect(PLAIN, SENDER);
    for (let bit = 0; bit < apdu.length * 8; bit++) {
      const damaged = apdu.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(typeof faultOf(() => open(damaged)), `bit ${bit}`).toBe('string');
    }
  });

  it('refuses wrong keys, another title, and a plain tag other than the ciphered one', () => {
    const apdu = protect(PLAIN, SENDER);
    expect(faultOf(() => open(apdu, { keys: { ...KEYS, ek: KEYS.ak } }))).toBe('NOT_AUTHENTIC');
    expect(faultOf(() => open(apdu, { keys: { ...KEYS, ak: KEYS.ek } }))).toBe('NOT_AUTHENTIC');
    expect(faultOf(() => open(apdu, { systemTitle: fromHex('4D4D4D0000000001') }))).toBe('NOT_AUTHENTIC');
    expect(faultOf(() => open(Uint8Array.of(0xcc, ...apdu.subarray(1))))).toBe('NOT_AUTHENTIC');
  });

  it('refuses a counter that does not rise, and accepts 0 as the first', () => {
    const apdu = protect(PLAIN, { ...SENDER, counter: 0 });
    expect(open(apdu)).toEqual(PLAIN);
    expect(faultOf(() => open(apdu, { lastCounter: 0 }))).toBe('COUNTER_NOT_RISING');
    expect(faultOf(() => open(apdu, { lastCounter: 7 }))).toBe('COUNTER_NOT_RISING');
  });

  it('refuses less security than the policy asks, and accepts more', () => {
    const [auth, enc, both] = (['auth', 'enc', 'authEnc'] as const).map((policy) => protect(PLAIN, { ...SENDER, policy }));
    for (const apdu of [auth, enc]) expect(faultOf(() => open(apdu ?? PLAIN))).toBe('BAD_VALUE');
    expect(faultOf(() => open(enc ?? PLAIN, { policy: 'auth' }))).toBe('BAD_VALUE');
    expect(open(both ?? PLAIN, { policy: 'auth' })).toEqual(PLAIN);
  });

  it('fails with DecodeError only on noise after a plausible tag', () => {
    const tags = fc.constantFrom(0x21, 0x28, 0xc8, 0xcc, 0xcf, 0xd0, 0xdb, 0xdc);
    fc.assert(fc.property(tags, fc.uint8Array({ maxLength: 60 }), (tag, noise) => void faultOf(() => open(Uint8Array.of(tag, ...noise)))));
  });
});

it('an exhausted counter refuses protection instead of wrapping', () => {
  expect(open(protect(PLAIN, { ...SENDER, counter: 0xffff_ffff }))).toEqual(PLAIN);
  expect(() => protect(PLAIN, { ...SENDER, counter: 0x1_0000_0000 })).toThrow(RangeError);
});

it('the fast path and the codec agree on ciphered APDUs and on their errors', () => {
  const tags = [...Object.values(CIPHERED_TAGS), 0xc0];
  const lengths = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(0x80, 0x81, 0x82, 0x84, 0x85, 0xff));
  const apdus = fc
    .tuple(fc.constantFrom(...tags), lengths, fc.uint8Array({ maxLength: 20 }), fc.boolean())
    .map(([tag, length, rest, fits]) => Uint8Array.of(tag, ...(fits ? [0x81, rest.length] : [length]), ...rest));
  fc.assert(
    fc.property(apdus, (apdu) => {
      const explained = faultOf(() => {
        const { systemTitle: _, ...known } = decode(cipheredApdu, apdu);
        return known;
      });
      const read = faultOf(() => {
        const ciphered = readCipheredApdu(apdu);
        return { ...ciphered, body: apdu.subarray(ciphered.bodyAt) };
      });
      // The reader checks the length of the system title; the plain codec does not.
      if (typeof read === 'string') expect(typeof explained === 'string' ? explained : 'BAD_LENGTH').toBe(read);
      else expect(read).toMatchObject(explained as object); // as: a value that is not an error is a decoded APDU
    }),
    { numRuns: 2000 },
  );
});
