import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCipher } from '../../dlms-node/src/node-cipher.ts';
import type { AnnotatedNode } from '../src/codec/annotate.ts';
import { fromHex, toHex } from '../src/codec/hex.ts';
import { annotateWire, payloadOnWire } from '../src/framing/annotate-wire.ts';
import { decodeAnnouncement, encodeToAnnouncer } from '../src/framing/announcement.ts';
import { MbusDeframer, type DeframedMbus } from '../src/framing/mbus/deframer.ts';
import { decodeMbusFrame, encodeMbusFrame } from '../src/framing/mbus/frame.ts';
import { encodeMbusMessage, MbusAssembler, type MbusMessage } from '../src/framing/mbus/message.ts';
import { readCipheredApdu, unprotect } from '../src/security/protection.ts';

/** Two telegrams of a Kaifa MA309, key and plaintext. Source: Netz NÖ, description of the customer interface 218_9, example. */
const NETZ_NOE = {
  hex:
    '68FAFA6853FF000167DB084B464D675000000981F8200000002388D5AB4F97515AAFC6B88D2F85DAA7A0E3C0C40D004535C397C9D037AB7DBDA329107615444894' +
    'A1A0DD7E85F02D496CECD3FF46AF5FB3C9229CFE8F3EE4606AB2E1F409F36AAD2E50900A4396FC6C2E083F373233A69616950758BFC7D63A9E9B6E99E21B2CBC2B' +
    '934772CA51FD4D69830711CAB1F8CFF25F0A329337CBA51904F0CAED88D61968743C8454BA922EB00038182C22FE316D16F2A9F544D6F75D51A4E92A1C4EF8AB19' +
    'A2B7FEAA32D0726C0ED80229AE6C0F7621A4209251ACE2B2BC66FF0327A653BB686C756BE033C7A281F1D2A7E1FA31C3983E15F8FD16CC5787E6F5171668141468' +
    '53FF110167419A3CFDA44BE438C96F0E38BF83D98316',
  key: '36C66639E48A8CA4D6BC8B282A793BBB',
  title: '4B464D6750000009',
  begin: '0F8006870E0C07E5091B01092F0F00FF88800223090C07E5091B01092F0F00FF888009060100010800FF0600003289',
  end: '090C313831323230303030303039',
};

/** Two telegrams in suite 1, with the key 101112…1F. Source: worked example of the Austrian customer interface, published with a walkthrough. */
const SUITE_1 =
  '68FAFA6853FF000167DB084B464D10100000238201092100295B9AEFC1546E644A2C9E32EDD42CBD0F1B945B194D086885C4D8DF86DD52CB5B448854A6D548D5' +
  'D270739B2A169D05B013F9015070089D3C5FA45CA05E92309A645CC83D7DA40FBC8F4CF9C225AFA69A25FF0B2AC9C2744550ABA53CE9143FD10B0AD85FD30BD6' +
  'B6DFFEE65F8204DC9C5067CA73B62E299A39D50AA730B2B9AE3836BC2F3490FB41BE5B6F930D84952976369DD7DABBB5A4354AECA1D2486CFF2EB0C6206380BA' +
  '501D122AF75D716D3092C3960506A15E06FAB0EE5B7DFA3C2CDF0CAFD051B88E44B8B9FB8865F20CB89D1143CDC7EFEB07FB4C4898E764E9E3A32DDC3D1F0F16' +
  '6826266853FF110167B46961CE962B2C78050C96598C7E4D26658043F9CBCA78189BD01B139F8AE0F7391116';

const readAll = (octets: Uint8Array, cuts: number[] = []) => {
  const deframer = new MbusDeframer();
  const places = [...new Set([0, ...cuts.map((cut) => cut % (octets.length + 1)), octets.length])].toSorted((a, b) => a - b);
  const frames: DeframedMbus[] = places.flatMap((from, at) => deframer.push(octets.subarray(from, places[at + 1] ?? from)));
  return { frames, damaged: deframer.damaged, pending: deframer.pending };
};
const messagesOf = (frames: readonly DeframedMbus[]): MbusMessage[] => {
  const assembler = new MbusAssembler();
  return frames.flatMap((frame) => assembler.push(frame).message ?? []);
};
const find = (nodes: readonly AnnotatedNode[], name: string): AnnotatedNode | undefined =>
  nodes.map((node) => (node.name === name ? node : find(node.children, name))).find(Boolean);
const segment = (controlInformation: number, ...payload: number[]): DeframedMbus => {
  const octets = encodeMbusFrame({ control: 0x53, address: 1, controlInformation, data: Uint8Array.of(1, 103, ...payload) });
  return { ...decodeMbusFrame(octets), octets };
};
/** Deciphers telegrams that are encrypted and not authenticated. */
function decipher(hex: string, key: string, suite: 0 | 1): Uint8Array {
  const ciphered = readCipheredApdu(payloadOnWire(fromHex(hex)));
  const keys = { ek: fromHex(key), ak: new Uint8Array(16) };
  const systemTitle = ciphered.systemTitle ?? new Uint8Array();
  return unprotect(ciphered, { cipher: nodeCipher, keys, policy: 'enc', systemTitle, lastCounter: -1, suite });
}
const long = (size: number) => Uint8Array.from({ length: size }, (_, at) => at % 251);

describe('published telegrams', () => {
  it.each([
    ['Netz NÖ', NETZ_NOE.hex, 0x20],
    ['another Austrian interface, in suite 1', SUITE_1, 0x21],
  ])('of %s are one message of the logical device 1 to the client 103', (_, hex, securityControl) => {
    const { frames, damaged, pending } = readAll(fromHex(hex));
    expect({ count: frames.length, damaged, pending }).toEqual({ count: 2, damaged: 0, pending: 0 });
    const [message] = messagesOf(frames);
    expect(message).toMatchObject({ address: 0xff, source: 1, destination: 103 });
    expect(toHex(message?.octets ?? new Uint8Array())).toBe(hex);
    expect(readCipheredApdu(message?.apdu ?? new Uint8Array())).toMatchObject({ securityControl });
  });

  it('are deciphered to the published plaintext', () => {
    const plain = toHex(decipher(NETZ_NOE.hex, NETZ_NOE.key, 0));
    expect(plain.startsWith(NETZ_NOE.begin)).toBe(true);
    expect(plain.endsWith(NETZ_NOE.end)).toBe(true);
    expect(toHex(decipher(SUITE_1, '101112131415161718191A1B1C1D1E1F', 1))).toMatch(/^0F/);
  });

  it('are explained, with the message at the place of its octets', () => {
    const octets = fromHex(NETZ_NOE.hex);
    const { nodes, error } = annotateWire(octets);
    expect(error).toBeUndefined();
    expect(nodes.filter(({ name }) => name === 'mbus').map(({ offset, length }) => [offset, length])).toEqual([
      [0, 256],
      [256, 26],
    ]);
    expect(find(nodes, 'controlInformation')?.value).toBe('segment 0');
    expect(find(nodes.slice(1), 'controlInformation')?.value).toBe('segment 1, final');
    const title = find(nodes, 'systemTitle');
    expect(toHex(octets.subarray(title?.offset ?? 0, (title?.offset ?? 0) + (title?.length ?? 0)))).toContain(NETZ_NOE.title);
  });
});

describe('MbusDeframer', () => {
  const frame = fc
    .record({
      control: fc.integer({ min: 0, max: 255 }),
      address: fc.integer({ min: 0, max: 255 }),
      controlInformation: fc.integer({ min: 0, max: 255 }),
      data: fc.uint8Array({ maxLength: 252 }),
    })
    .map((fields) => ({ fields, octets: encodeMbusFrame(fields) }));
  const noise = fc.uint8Array({ maxLength: 40 });
  const headers = fc.array(fc.constantFrom(0x68, 0x10, 0xe5, 0x16, 0x05, 0x03), { maxLength: 60 }).map((octets) => Uint8Array.from(octets));
  const cuts = fc.array(fc.nat(), { maxLength: 30 });

  it('returns the same frames, damage and rest for any chunk boundaries', () => {
    const pieces = fc.array(
      fc.oneof(
        frame.map(({ octets }) => octets),
        noise,
        headers,
      ),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(pieces, cuts, (all, places) => {
        const stream = Uint8Array.from(all.flatMap((piece) => [...piece]));
        const [parts, whole] = [readAll(stream, places), readAll(stream)];
        // Runs of noise are counted per chunk.
        expect({ ...parts, damaged: parts.damaged > 0 }).toEqual({ ...whole, damaged: whole.damaged > 0 });
      }),
      { numRuns: 1000 },
    );
  });

  it('returns every frame of an undamaged stream, with acknowledgements and short frames between them', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), cuts, (sent, places) => {
        const stream = Uint8Array.from(sent.flatMap(({ octets }) => [0xe5, 0x10, 0x40, 0x01, 0x41, 0x16, ...octets]));
        const { frames, damaged } = readAll(stream, places);
        expect(frames).toMatchObject(sent.map(({ fields }) => fields));
        expect(frames).toHaveLength(sent.length);
        expect(damaged).toBe(0);
      }),
    );
  });

  it('refuses a wrong checksum, and returns the frame behind it', () => {
    const broken = fromHex(NETZ_NOE.hex);
    broken[20] = (broken[20] ?? 0) ^ 1;
    const deframer = new MbusDeframer();
    const frames = deframer.push(broken);
    expect(frames.map(({ controlInformation }) => controlInformation)).toEqual([0x11]);
    expect(deframer.damaged).toBeGreaterThan(0);
    expect(() => decodeMbusFrame(broken.subarray(0, 256))).toThrow('NOT_CHECKED in mbus.checksum');
  });

  it('returns the frames hidden by noise that resembles a long frame, once the line is idle', () => {
    const deframer = new MbusDeframer();
    expect(deframer.push(Uint8Array.of(0x68, 0xff, 0xff, 0x68, ...segment(0x10, 9).octets))).toEqual([]);
    expect(deframer.resync().map(({ controlInformation }) => controlInformation)).toEqual([0x10]);
    expect(deframer.pending).toBe(0);
  });
});

describe('MbusAssembler', () => {
  it('joins what was encoded, of any size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 6000 }), (apdu) => {
        const octets = encodeMbusMessage({ address: 5, source: 1, destination: 16, apdu });
        const { frames, damaged } = readAll(octets);
        expect(messagesOf(frames)).toEqual([{ address: 5, source: 1, destination: 16, apdu, octets }]);
        expect(damaged).toBe(0);
      }),
    );
  });

  it.each<[name: string, frames: DeframedMbus[], apdus: string[]]>([
    ['a repeated segment counts once', [segment(0, 1), segment(0, 1), segment(0x11, 2), segment(0x11, 2)], ['0102']],
    ['a missing segment drops the message', [segment(0, 1), segment(0x12, 3)], []],
    ['a message that begins again replaces the unfinished one', [segment(0, 1), segment(0, 7), segment(0x11, 2)], ['0702']],
    ['a segment without beginning is dropped', [segment(0x11, 2), segment(0x10, 3)], ['03']],
    ['frames with another control information are dropped', [segment(0x72, 2), segment(0x10, 3)], ['03']],
  ])('%s', (_, frames, apdus) => {
    expect(messagesOf(frames).map(({ apdu }) => toHex(apdu))).toEqual(apdus);
  });

  it('keeps at most 64 KiB of a message that never ends', () => {
    const assembler = new MbusAssembler();
    for (let at = 0; at < 1000; at++) {
      assembler.push(segment(at % 16, ...long(200)));
      expect(assembler.pending).toBeLessThan(65_536);
    }
  });
});

describe('a datagram', () => {
  const apdu = fromHex('0F00000001001107');

  it('with the segments of one message is answered in its framing', () => {
    const found = decodeAnnouncement(fromHex(NETZ_NOE.hex));
    expect(found).toMatchObject({ framing: { kind: 'mbus', address: 0xff }, source: 1, destination: 103 });
    const reply = encodeToAnnouncer(found.framing, { source: 1, destination: 1 }, apdu);
    expect(decodeAnnouncement(reply ?? new Uint8Array())).toMatchObject({ framing: { kind: 'mbus', address: 0xff }, apdu });
  });

  it.each([
    ['half a message', NETZ_NOE.hex.slice(0, 512)],
    ['a cut message', NETZ_NOE.hex.slice(0, 520)],
    ['two messages', NETZ_NOE.hex + NETZ_NOE.hex],
    ['a message and noise', `${NETZ_NOE.hex}00`],
    ['nothing', ''],
  ])('with %s is refused', (_, hex) => {
    expect(() => decodeAnnouncement(fromHex(hex))).toThrow(/@/);
  });
});
