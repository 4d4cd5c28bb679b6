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

/** A day of a profile is mostly what this stands for: long, and nothing an engine could shorten. */
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

test('frames come back as they were kept, with and without a plain text', () => {
  expect(unpackFrames(packFrames(FRAMES), secrets)).toEqual(FRAMES);
  expect(unpackFrames(packFrames([]), secrets)).toEqual([]);
  expect(unpackFrames(packFrames(FRAMES, opener), secrets)).toEqual(FRAMES);
});

test('a plain text that the cipher text gives is not kept beside it, and comes back whatever became of the keys of the meter', () => {
  const frames = [sealed('down', 5), sealed('up', 6), sealed('down', 7, 'auth'), sealed('up', 8, 'enc')];
  const packed = packFrames(frames, opener);
  expect(packed.length).toBeLessThan(frames.reduce((sum, { octets }) => sum + octets.length, 0) + 200);
  expect(packed.includes(PLAIN.up)).toBe(false);
  expect(packed.includes(KEYS.ek)).toBe(false);
  expect(plainOf(unpackFrames(packed, secrets))).toEqual([PLAIN.down, PLAIN.up, PLAIN.down, PLAIN.up]);
});

test('what was not proved when it came has no plain text, and what another key protects keeps its own', () => {
  const frames = [{ ...sealed('up', 5), plain: undefined }, sealed('down', 6, 'authEnc', true)];
  expect(plainOf(unpackFrames(packFrames(frames, opener), secrets))).toEqual([undefined, PLAIN.down]);
});

test('with another master key there is no plain text, but the bytes are there', () => {
  const frames = unpackFrames(packFrames([sealed('up', 5)], opener), createSecrets(Buffer.alloc(32, 4)));
  expect(frames).toMatchObject([{ plain: undefined, direction: 'up' }]);
  expect(frames[0]?.octets.length).toBeGreaterThan(PLAIN.up.length);
});

test('exchanges of the first version are still read', () => {
  const packed = packFrames(FRAMES);
  expect(unpackFrames(Buffer.concat([bytes(1), packed.subarray(1 + 4)]), secrets)).toEqual(FRAMES);
});

test('a stored value that was cut, or is of another version, is refused', () => {
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
