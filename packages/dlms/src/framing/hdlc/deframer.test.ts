import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../codec/hex.ts';
import { anyFrame } from '../../../test/support/hdlc-arbitraries.ts';
import { HdlcDeframer, type DeframedHdlc } from './deframer.ts';
import { encodeHdlcFrame } from './frame.ts';

const SNRM = '7EA0070321930F017E';
const UA = '7EA01E210373C37A818012050180060180070400000001080400000001533B7E';

function* chunks(stream: Uint8Array, cuts: number[]): Generator<Uint8Array> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].toSorted((a, b) => a - b);
  for (const [i, from] of places.entries()) yield stream.subarray(from, places[i + 1] ?? from);
}

function read(
  stream: Uint8Array,
  cuts: number[] = [],
): { frames: DeframedHdlc[]; damaged: number; pending: number; last: string | undefined } {
  const deframer = new HdlcDeframer();
  const frames: DeframedHdlc[] = [];
  for (const chunk of chunks(stream, cuts)) frames.push(...deframer.push(chunk));
  return { frames, damaged: deframer.damaged, pending: deframer.pending, last: deframer.lastDamage?.message };
}

const kindsOf = (hex: string): string[] => read(fromHex(hex)).frames.map(({ control }) => control.kind);

describe('HdlcDeframer', () => {
  const noise = fc.uint8Array({ maxLength: 40 });
  const noisyFlags = fc
    .array(fc.constantFrom(0x7e, 0xa0, 0xa8, 0x07, 0x09, 0x21, 0x03), { maxLength: 60 })
    .map((octets) => Uint8Array.from(octets));
  const pieces = fc.array(fc.oneof(anyFrame.map(encodeHdlcFrame), noise, noisyFlags), { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat(), { maxLength: 30 });

  it('returns the same frames, damage and rest for any chunk boundaries', () => {
    fc.assert(
      fc.property(pieces, cuts, (all, places) => {
        const stream = Uint8Array.from(all.flatMap((piece) => [...piece]));
        expect(read(stream, places)).toEqual(read(stream));
      }),
      { numRuns: 1000 },
    );
  });

  it('returns every frame of an undamaged stream, with one flag or several between them', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 6 }), fc.integer({ min: 0, max: 3 }), cuts, (sent, idle, places) => {
        const stream = Uint8Array.from(sent.flatMap((frame) => [...encodeHdlcFrame(frame), ...new Uint8Array(idle).fill(0x7e)]));
        const { frames, damaged } = read(stream, places);
        expect(frames).toMatchObject(sent);
        expect(frames.length).toBe(sent.length);
        expect(damaged).toBe(0);
      }),
    );
    expect(kindsOf(SNRM.slice(0, -2) + UA)).toEqual(['snrm', 'ua']);
  });

  it('returns the frames hidden by noise that resembles a long frame, once the line is idle', () => {
    const deframer = new HdlcDeframer();
    expect(deframer.push(fromHex(`7EA7FF00${SNRM}${UA}7EA0`))).toEqual([]);
    expect(deframer.resync().map(({ control }) => control.kind)).toEqual(['snrm', 'ua']);
    expect(deframer.pending).toBe(0);
    expect(deframer.push(fromHex(UA))).toHaveLength(1);
    expect(deframer.resync()).toEqual([]);
  });

  it('finds the next frame after noise, after a damaged one and after one that was cut off', () => {
    expect(kindsOf(`00FF41${UA}`)).toEqual(['ua']);
    expect(kindsOf(`${UA.replace('533B', '533C')}${SNRM}`)).toEqual(['snrm']);
    expect(kindsOf(`${UA.replace('C37A', 'C37B')}${SNRM}`)).toEqual(['snrm']);
    expect(kindsOf(`7EA7FF${SNRM}${UA}`)).toEqual([]); // waits for 2047 octets
    expect(kindsOf(`7EA7FF${SNRM}${UA}${'00'.repeat(2047)}`)).toEqual(['snrm', 'ua']);
    expect(kindsOf(`${UA.slice(0, -24)}${SNRM}${UA}`)).toEqual(['snrm', 'ua']);
  });

  it('reports the reason and offset of damage', () => {
    const { damaged, last } = read(fromHex(`${SNRM}${UA.replace('533B', '533C')}`));
    expect(damaged).toBe(1);
    expect(last).toBe('NOT_CHECKED in hdlc.frameCheck @ 38');
  });

  it('counts pending octets, and never buffers more than a frame', () => {
    const deframer = new HdlcDeframer();
    expect(deframer.push(fromHex(SNRM)).map(({ octets }) => toHex(octets))).toEqual([SNRM]);
    expect(deframer.pending).toBe(0);
    deframer.push(fromHex('A7FF'));
    expect(deframer.pending).toBe(2);
    let most = 0;
    for (let i = 0; i < 500; i++) {
      deframer.push(Uint8Array.of(0x7e, 0xa7, 0xff, i & 0xff, 0x7e, 0xa7, 0xff));
      most = Math.max(most, deframer.pending);
    }
    expect(most).toBeLessThanOrEqual(2049);
  });

  it('handles a stream of frame beginnings in linear time', () => {
    const stream = Uint8Array.from({ length: 65_536 }, (_, i) => [0x7e, 0xa0, 0x09][i % 3] ?? 0);
    const { frames, damaged } = read(stream);
    expect(frames).toEqual([]);
    expect(damaged).toBeGreaterThan(20_000);
  });
});
