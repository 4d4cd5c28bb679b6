import { expect, test } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { protect, type SecurityPolicy } from '@hes/dlms/security/protection.ts';
import { openKeys, sealKeys } from '../platform/device-keys.ts';
import { createSecrets } from '../platform/secrets.ts';
import { packFrames, unpackFrames, type FrameOpener, type KeptFrame } from './frames.ts';

const secrets = createSecrets(Buffer.alloc(32, 3));
const bytes = (...values: number[]) => Buffer.from(values);
const FRAMES: KeptFrame[] = [
  { at: 1_700_000_000_123, direction: 'down', octets: bytes(0, 1, 2), plain: bytes(0xc0) },
  { at: 1_700_000_000_456.5, direction: 'up', octets: bytes(9), plain: undefined },
  { at: 0, direction: 'up', octets: bytes(), plain: bytes() },
];

const KEYS = { ek: Buffer.alloc(16, 1), ak: Buffer.alloc(16, 2) };
const TITLES = { down: Buffer.from('HES00001'), up: Buffer.from('MET00001') };
const stored = sealKeys(secrets, 'meter', 'SN000001', KEYS);
const sealedEk = openKeys(secrets, 'meter', 'SN000001', stored)?.sealedEk;
if (sealedEk === undefined) throw new Error('No keys');
const opener: FrameOpener = { key: sealedEk, ...TITLES };

/** `up` has the length of a profile day and no repetition that compression could use. */
const PLAIN = {
  down: bytes(0xc0, 1, 0xc1, ...Array.from({ length: 40 }, (_, i) => i)),
  up: bytes(0xc4, 1, 0xc1, 0, ...Array.from({ length: 900 }, (_, i) => (i * 7) % 256)),
};

function sealed(direction: 'down' | 'up', counter: number, policy: SecurityPolicy = 'authEnc', broadcast = false): KeptFrame {
  const keys = { ...KEYS, bk: Buffer.alloc(16, 9) };
  const apdu = protect(PLAIN[direction], {
    cipher: nodeCipher,
    keys,
    policy,
    systemTitle: TITLES[direction],
    counter,
    form: 'service-specific',
    broadcast,
  });
  const payload = encodeGateway({ networkId: 0, address: Buffer.from('SN000001'), response: direction === 'up' }, apdu);
  return { at: counter, direction, octets: encodeWrapper({ source: 1, destination: 1 }, payload), plain: PLAIN[direction] };
}

const plainOf = (frames: KeptFrame[]) => frames.map(({ plain }) => plain && Buffer.from(plain));

test('frames are unpacked as they were packed, with and without plain text', () => {
  expect(unpackFrames(packFrames(FRAMES), secrets)).toEqual(FRAMES);
  expect(unpackFrames(packFrames([]), secrets)).toEqual([]);
  expect(unpackFrames(packFrames(FRAMES, opener), secrets)).toEqual(FRAMES);
});

test('plain text that the opener can decipher is not stored, and is restored independently of the current keys of the meter', () => {
  const frames = [sealed('down', 5), sealed('up', 6), sealed('down', 7, 'auth'), sealed('up', 8, 'enc')];
  const packed = packFrames(frames, opener);
  expect(packed.length).toBeLessThan(frames.reduce((sum, { octets }) => sum + octets.length, 0) + 200);
  expect(packed.includes(PLAIN.up)).toBe(false);
  expect(packed.includes(KEYS.ek)).toBe(false);
  expect(plainOf(unpackFrames(packed, secrets))).toEqual([PLAIN.down, PLAIN.up, PLAIN.down, PLAIN.up]);
});

test('a frame that was not authenticated has no plain text, and plain text under another key is stored', () => {
  const frames = [{ ...sealed('up', 5), plain: undefined }, sealed('down', 6, 'authEnc', true)];
  expect(plainOf(unpackFrames(packFrames(frames, opener), secrets))).toEqual([undefined, PLAIN.down]);
});

test('with another master key the plain text is missing and the wire bytes remain', () => {
  const frames = unpackFrames(packFrames([sealed('up', 5)], opener), createSecrets(Buffer.alloc(32, 4)));
  expect(frames).toMatchObject([{ plain: undefined, direction: 'up' }]);
  expect(frames[0]?.octets.length).toBeGreaterThan(PLAIN.up.length);
});

test('frames of version 1 are unpacked', () => {
  const packed = packFrames(FRAMES);
  expect(unpackFrames(Buffer.concat([bytes(1), packed.subarray(1 + 4)]), secrets)).toEqual(FRAMES);
});

test('a truncated value or an unknown version throws a RangeError', () => {
  const packed = packFrames(FRAMES, opener);
  for (let end = 2; end < packed.length; end++) {
    const cut = packed.subarray(0, end);
    try {
      expect(unpackFrames(cut, secrets).length).toBeLessThan(FRAMES.length);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  }
  expect(() => unpackFrames(bytes(3), secrets)).toThrow(RangeError);
});
