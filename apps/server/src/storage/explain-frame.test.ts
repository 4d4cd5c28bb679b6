import { aarq } from '@hes/dlms/acse/aarq.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { expect, test } from 'vitest';
import { explainFrame, withoutSecrets } from './explain-frame.ts';

const PASSWORD = Buffer.from('Walk-Of-The-Forms-8');
const REQUEST = encode(aarq, {
  applicationContext: 'ln',
  authenticationRequirement: true,
  mechanism: 'low',
  authenticationValue: PASSWORD,
  userInformation: Buffer.from('01000000065f1f0400007e1f04b0', 'hex'),
});

function inSegments(size: number, repeated: number[] = []): Uint8Array {
  const message = addLlc('command', REQUEST);
  const frames: Uint8Array[] = [];
  for (let at = 0, number = 0; at < message.length; at += size, number++) {
    const frame = encodeHdlcFrame({
      destination: serverAddress(1),
      source: clientAddress(1),
      control: { kind: 'i', sendSequence: number % 8, receiveSequence: 0, pollFinal: true },
      segmented: at + size < message.length,
      information: message.subarray(at, at + size),
    });
    frames.push(frame, ...(repeated.includes(number) ? [frame] : []));
  }
  return Buffer.concat(frames);
}

test.each([
  ['a wrapper frame', encodeWrapper({ source: 1, destination: 1 }, REQUEST)],
  ['an HDLC frame', inSegments(128)],
  ['HDLC segments that cut the password', inSegments(7)],
  ['HDLC segments of which some are repeated', inSegments(7, [0, 4, 5, 6, 7, 8, 9])],
])('no part of a password remains in %s, which still decodes', (_, octets) => {
  const kept = withoutSecrets({ at: 0, direction: 'down', octets, plain: undefined });
  const hex = toHex(kept.octets);
  for (let at = 0; at + 3 <= PASSWORD.length; at++) expect(hex).not.toContain(toHex(PASSWORD.subarray(at, at + 3)));
  expect(kept.octets).toHaveLength(octets.length);
  expect(explainFrame(kept)).toEqual({ service: 'aarq', isPush: false, result: null });
});

test('a frame that opens an HDLC link is named by its control field', () => {
  const snrm = encodeHdlcFrame({
    destination: serverAddress(1),
    source: clientAddress(1),
    control: { kind: 'snrm', pollFinal: true },
    segmented: false,
    information: new Uint8Array(0),
  });
  expect(explainFrame({ at: 0, direction: 'down', octets: snrm, plain: undefined }).service).toBe('snrm');
});
