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

const explained = (octets: Uint8Array, plain?: Uint8Array) => explainFrame({ at: 0, direction: 'up', octets, plain });

test.each([
  ['a value', 'c401c100120001', 'getResponse', null],
  ['a value with the code of an error', 'c401c1000f03', 'getResponse', null],
  ['the refusal of a GET', 'c401c10103', 'getResponse', 'readWriteDenied'],
  ['the confirmation of a SET', 'c501c100', 'setResponse', null],
  ['the refusal of a SET', 'c501c103', 'setResponse', 'readWriteDenied'],
  ['the confirmation of an ACTION', 'c701c10000', 'actionResponse', null],
  ['the refusal of an ACTION', 'c701c10300', 'actionResponse', 'readWriteDenied'],
  ['an exception', 'd80101', 'exceptionResponse', 'serviceNotAllowed · operationNotPossible'],
  ['an accepted association', '6117a109060760857405080101a203020100a305a103020100', 'aare', null],
  ['a rejected association', '6117a109060760857405080101a203020101a305a10302010d', 'aare', 'rejectedPermanent'],
  ['a request', 'c001c100080000010000ff0200', 'getRequest', null],
  ['a truncated response', '61', 'aare', expect.stringContaining('TRUNCATED in aare')],
])('the list of traces has service and result of %s, on the wire and deciphered', (_what, hex, service, result) => {
  const apdu = Buffer.from(hex, 'hex');
  expect(explained(encodeWrapper({ source: 1, destination: 1 }, apdu))).toEqual({ service, isPush: false, result });
  expect(explained(new Uint8Array(0), apdu)).toEqual({ service, isPush: false, result });
});

test('notifications and unsolicited blocks are pushes', () => {
  const eventNotification = Buffer.from('c2000000080000010000ff0206', 'hex');
  expect(explained(new Uint8Array(0), eventNotification)).toMatchObject({ service: 'eventNotification', isPush: true });
});

test('a frame that is cut is stored as it is', () => {
  const cut = inSegments(128).subarray(0, 40);
  expect(withoutSecrets({ at: 0, direction: 'down', octets: cut, plain: undefined }).octets).toEqual(cut);
});

test('a frame without a secret is stored as it is, and its plain text too', () => {
  const request = Buffer.from('c001c100080000010000ff0200', 'hex');
  for (const octets of [encodeWrapper({ source: 1, destination: 1 }, request), request]) {
    const kept = withoutSecrets({ at: 3, direction: 'down', octets, plain: request });
    expect(kept).toEqual({ at: 3, direction: 'down', octets, plain: request });
    expect(kept.octets).toBe(octets);
  }
});

/** A SET of an attribute of a class to the octets of the password, as plain text. */
const setOf = (classId: number, attributeId: number) =>
  Buffer.concat([Buffer.from([0xc1, 1, 0xc1, 0, classId, 0, 0, 40, 0, 0, 255, attributeId, 0, 9, PASSWORD.length]), PASSWORD]);

test.each([
  [12, 7, true],
  [15, 7, true],
  [15, 6, false],
  [1, 7, false],
])('a SET of class %i, attribute %i, holds a secret: %s', (classId, attributeId, isSecret) => {
  const plain = setOf(classId, attributeId);
  const kept = withoutSecrets({ at: 0, direction: 'down', octets: new Uint8Array(0), plain });
  const hex = toHex(kept.plain ?? new Uint8Array(0));
  expect(hex.includes(toHex(PASSWORD))).toBe(!isSecret);
  // Tag and length remain, so the message still decodes.
  expect(hex).toBe(toHex(isSecret ? Buffer.concat([plain.subarray(0, -PASSWORD.length), Buffer.alloc(PASSWORD.length)]) : plain));
  expect(explained(new Uint8Array(0), kept.plain)).toEqual({ service: 'setRequest', isPush: false, result: null });
});
