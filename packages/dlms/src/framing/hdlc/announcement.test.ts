import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../codec/hex.ts';
import { decodeAnnouncement, encodeToAnnouncer } from '../announcement.ts';
import { clientAddress, serverAddress } from './address.ts';
import { HdlcAnnouncements } from './announcement.ts';
import type { HdlcControl } from './control.ts';
import { HdlcDeframer, type DeframedHdlc } from './deframer.ts';
import { encodeHdlcFrame } from './frame.ts';
import { addLlc } from './llc.ts';

const APDU = fromHex('0F00000001001107');
const MESSAGE = addLlc('response', APDU);
const UI = { kind: 'ui', pollFinal: true } as const;
const numbered = (sendSequence: number): HdlcControl => ({ kind: 'i', sendSequence, receiveSequence: 0, pollFinal: true });

interface Part {
  control?: HdlcControl;
  information?: Uint8Array;
  segmented?: boolean;
  source?: number;
}
const frameOf = ({ control = UI, information = MESSAGE, segmented = false, source = 1 }: Part = {}): Uint8Array =>
  encodeHdlcFrame({ destination: clientAddress(1), source: serverAddress(source, 17, 4), control, segmented, information });
const framesIn = (...octets: Uint8Array[]): DeframedHdlc[] => octets.flatMap((one) => new HdlcDeframer().push(one));
const apdusOf = (frames: readonly DeframedHdlc[]): string[] => {
  const announcements = new HdlcAnnouncements();
  return frames.flatMap((frame) => announcements.push(frame).message ?? []).map(({ apdu }) => toHex(apdu));
};

describe('HdlcAnnouncements', () => {
  it.each<[name: string, frames: Uint8Array[]]>([
    ['a UI frame', [frameOf()]],
    ['an I frame without link, as of a Kaifa MA304', [frameOf({ control: numbered(0) })]],
    [
      'segmented I frames, one of which is repeated',
      [
        frameOf({ control: numbered(0), information: MESSAGE.subarray(0, 5), segmented: true }),
        frameOf({ control: numbered(1), information: MESSAGE.subarray(5, 8), segmented: true }),
        frameOf({ control: numbered(1), information: MESSAGE.subarray(5, 8), segmented: true }),
        frameOf({ control: numbered(2), information: MESSAGE.subarray(8) }),
      ],
    ],
    [
      'segmented UI frames',
      [frameOf({ information: MESSAGE.subarray(0, 5), segmented: true }), frameOf({ information: MESSAGE.subarray(5) })],
    ],
    [
      'a message after the beginning of one of another device',
      [frameOf({ information: MESSAGE.subarray(0, 5), segmented: true, source: 2 }), frameOf()],
    ],
  ])('takes %s', (_, frames) => {
    expect(apdusOf(framesIn(...frames))).toEqual([toHex(APDU)]);
  });

  it('takes a message to a client address of two octets, as of a Landis+Gyr E450', () => {
    const octets = encodeHdlcFrame({
      destination: { upper: 103, lower: 127, size: 2 },
      source: serverAddress(1),
      control: UI,
      segmented: false,
      information: MESSAGE,
    });
    expect(octets.subarray(3, 6)).toEqual(fromHex('CEFF03'));
    expect(apdusOf(framesIn(octets))).toEqual([toHex(APDU)]);
  });

  it('takes no supervisory frame, no message without LLC header, and none to an address that no client has', () => {
    const far = encodeHdlcFrame({
      destination: serverAddress(9000),
      source: serverAddress(1),
      control: UI,
      segmented: false,
      information: MESSAGE,
    });
    const rr = frameOf({ control: { kind: 'rr', receiveSequence: 0, pollFinal: true } });
    const frames = framesIn(rr, frameOf({ information: APDU }), far);
    const announcements = new HdlcAnnouncements();
    expect(frames.map((frame) => announcements.push(frame))).toEqual(frames.map(() => ({ isUseful: false })));
  });

  it('keeps at most 64 KiB of a message that never ends', () => {
    const announcements = new HdlcAnnouncements();
    const [first] = framesIn(frameOf({ information: addLlc('response', new Uint8Array(1000)), segmented: true }));
    if (first === undefined) throw new Error('No frame');
    for (let at = 0; at < 200; at++) {
      announcements.push(first);
      expect(announcements.pending).toBeLessThanOrEqual(65_535);
    }
  });

  it('in a datagram is answered in a UI frame to its address', () => {
    const found = decodeAnnouncement(frameOf());
    expect(found).toMatchObject({ framing: { kind: 'hdlc' }, source: 1, destination: 1, apdu: APDU });
    const reply = encodeToAnnouncer(found.framing, { source: 1, destination: 1 }, APDU);
    expect(framesIn(reply ?? new Uint8Array())).toMatchObject([
      { destination: { upper: 1, lower: 17, size: 4 }, source: { upper: 1 }, control: { kind: 'ui' } },
    ]);
    expect(encodeToAnnouncer(found.framing, { source: 1, destination: 1 }, new Uint8Array(3000))).toBeUndefined();
    expect(() => decodeAnnouncement(frameOf().subarray(0, 12))).toThrow(/@/);
  });
});
