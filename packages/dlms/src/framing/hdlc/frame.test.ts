import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../codec/decode-error.ts';
import { fromHex, toHex } from '../../codec/hex.ts';
import { anyFrame } from '../../../test/support/hdlc-arbitraries.ts';
import { addressAt, clientAddress, isSameAddress, serverAddress } from './address.ts';
import { controlOf } from './control.ts';
import { checkSequence } from './crc.ts';
import { decodeHdlcFrame, encodeHdlcFrame, type HdlcFrame } from './frame.ts';
import { parametersOf, DEFAULT_PARAMETERS, encodeParameters, negotiate } from './parameters.ts';
import { addLlc, removeLlc } from './llc.ts';

/**
 * Frames constructed from the standard; the first three appear in common introductions. The CRC-16/X-25 check value below confirms their
 * check sequences.
 */
const VECTORS: [what: string, hex: string, shape: object][] = [
  ['SNRM of client 16 to server 1', '7EA0070321930F017E', { control: { kind: 'snrm', pollFinal: true }, source: { upper: 16, size: 1 } }],
  [
    'UA with parameters',
    '7EA01E210373C37A818012050180060180070400000001080400000001533B7E',
    { control: { kind: 'ua', pollFinal: true }, destination: { upper: 16, size: 1 }, source: { upper: 1, size: 1 } },
  ],
  ['DISC of client 16 to server 1', '7EA00703215303C77E', { control: { kind: 'disc', pollFinal: true } }],
  [
    'AARQ of client 16 in an I frame',
    '7EA02B032110FBAFE6E600601DA109060760857405080101BE10040E01000000065F1F0400007E1F04B0CAEA7E',
    { control: { kind: 'i', sendSequence: 0, receiveSequence: 0, pollFinal: true }, segmented: false },
  ],
  [
    'SNRM to a server address of four octets: logical 1, physical 17',
    '7EA00A00020023219318717E',
    { destination: { upper: 1, lower: 17, size: 4 }, source: { upper: 16, size: 1 } },
  ],
];

describe('HDLC frames', () => {
  it('are checked by CRC-16/X-25', () => {
    expect(checkSequence(fromHex('313233343536373839'))).toBe(0x906e);
    expect(checkSequence(new Uint8Array(0))).toBe(0);
  });

  for (const [what, hex, shape] of VECTORS) {
    it(`${what} is decoded and encoded unchanged`, () => {
      const octets = fromHex(hex);
      const frame = decodeHdlcFrame(octets);
      expect(frame).toMatchObject(shape);
      expect(toHex(encodeHdlcFrame(frame))).toBe(toHex(octets));
    });
  }

  it('of any kind, address and size read back as they were written', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        expect(decodeHdlcFrame(encodeHdlcFrame(frame))).toEqual(frame);
      }),
      { numRuns: 1000 },
    );
  });

  it('with any octet flipped or missing throw DecodeError', () => {
    fc.assert(
      fc.property(anyFrame, fc.nat(), fc.integer({ min: 1, max: 255 }), (frame, place, flip) => {
        const octets = encodeHdlcFrame(frame);
        const at = place % octets.length;
        expect(() => decodeHdlcFrame(octets.map((octet, i) => (i === at ? octet ^ flip : octet)))).toThrow(DecodeError);
        expect(() => decodeHdlcFrame(octets.subarray(0, at))).toThrow(DecodeError);
      }),
      { numRuns: 1000 },
    );
  });

  it('that do not fit their fields are refused before they are sent', () => {
    const frame: HdlcFrame = {
      destination: serverAddress(1),
      source: clientAddress(16),
      control: { kind: 'ui', pollFinal: false },
      segmented: false,
      information: new Uint8Array(2040),
    };
    expect(() => encodeHdlcFrame(frame)).toThrow(RangeError);
    for (const source of [clientAddress(128), clientAddress(-1), clientAddress(0.5), serverAddress(1, 200, 2), serverAddress(0x4000)])
      expect(() => encodeHdlcFrame({ ...frame, source, information: new Uint8Array(0) })).toThrow(RangeError);
  });
});

/** Format, addresses, control and HCS at the start of pushes of deployed meters. */
const REAL_HEADERS: [meter: string, header: string, check: string, shape: object][] = [
  [
    'Aidon',
    'A24341088313',
    '85EB',
    { destination: { upper: 32 }, source: { upper: 4, lower: 65 }, control: { kind: 'ui', pollFinal: true } },
  ],
  ['Kamstrup', 'A0E22B2113', '239A', { destination: { upper: 21 }, source: { upper: 16 }, control: { kind: 'ui', pollFinal: true } }],
  [
    'Kaifa',
    'A02701020110',
    '5A87',
    {
      destination: { upper: 0 },
      source: { upper: 1, lower: 0 },
      control: { kind: 'i', sendSequence: 0, receiveSequence: 0, pollFinal: true },
    },
  ],
  [
    'Landis+Gyr',
    'A08BCEFF0313',
    'EEE1',
    { destination: { upper: 0x67, lower: 0x7f }, source: { upper: 1 }, control: { kind: 'ui', pollFinal: true } },
  ],
];

describe('the headers of deployed meters', () => {
  for (const [meter, header, check, shape] of REAL_HEADERS) {
    it(`${meter}: passes the check and has the expected addresses and kind`, () => {
      const octets = fromHex(`7E${header}${check}`);
      const crc = checkSequence(octets, 1, octets.length - 2);
      expect(toHex(Uint8Array.of(crc & 0xff, crc >>> 8))).toBe(check);
      const destination = addressAt(octets, 3);
      const source = addressAt(octets, 3 + (destination?.size ?? 0));
      expect({ destination, source, control: controlOf(octets.at(-3) ?? 0) }).toMatchObject(shape);
      expect(3 + (destination?.size ?? 0) + (source?.size ?? 0) + 1 + 2).toBe(octets.length);
    });
  }
});

describe('HDLC addresses', () => {
  it('take the shortest form that holds them', () => {
    expect(serverAddress(1)).toEqual({ upper: 1, size: 1 });
    expect(serverAddress(1, 17)).toEqual({ upper: 1, lower: 17, size: 2 });
    expect(serverAddress(1, 200)).toEqual({ upper: 1, lower: 200, size: 4 });
    expect(serverAddress(1, 17, 4)).toEqual({ upper: 1, lower: 17, size: 4 });
    expect(isSameAddress(serverAddress(1, 17, 2), serverAddress(1, 17, 4))).toBe(true);
    expect(isSameAddress(serverAddress(1), clientAddress(2))).toBe(false);
  });
});

describe('the parameters of SNRM and UA', () => {
  const parameters = fc.record({
    maxInformationTransmit: fc.integer({ min: 1, max: 2030 }),
    maxInformationReceive: fc.integer({ min: 1, max: 2030 }),
    windowTransmit: fc.integer({ min: 1, max: 7 }),
    windowReceive: fc.integer({ min: 1, max: 7 }),
  });

  it('stand in the order and sizes that meters expect', () => {
    expect(toHex(encodeParameters(DEFAULT_PARAMETERS))).toBe('818012050180060180070400000001080400000001');
    expect(toHex(encodeParameters({ ...DEFAULT_PARAMETERS, maxInformationTransmit: 1024 }))).toBe(
      '81801305020400060180070400000001080400000001',
    );
  });

  it('are decoded as they were encoded; omitted ones get their defaults', () => {
    fc.assert(fc.property(parameters, (value) => void expect(parametersOf(encodeParameters(value))).toEqual(value)));
    expect(parametersOf(new Uint8Array(0))).toEqual(DEFAULT_PARAMETERS);
    expect(parametersOf(fromHex('818004 06020200'))).toEqual({ ...DEFAULT_PARAMETERS, maxInformationReceive: 512 });
    expect(parametersOf(fromHex('818003 2A0107'))).toEqual(DEFAULT_PARAMETERS);
  });

  it('are negotiated down to the limits of the peer', () => {
    fc.assert(
      fc.property(parameters, parameters, (a, b) => {
        const [ofA, ofB] = [negotiate(a, b), negotiate(b, a)];
        expect(ofA.maxInformationTransmit).toBe(ofB.maxInformationReceive);
        expect(ofA.windowReceive).toBe(ofB.windowTransmit);
        expect(ofA.windowTransmit).toBeLessThanOrEqual(b.windowReceive);
      }),
    );
  });

  it('are refused when damaged, and before sending when out of range', () => {
    for (const hex of ['80', '8180', '818005', '818002 0500', '818003 050100', '818003 070108', '818006 050500000001'])
      expect(parametersOf(fromHex(hex)), hex).toBeUndefined();
    expect(() => encodeParameters({ ...DEFAULT_PARAMETERS, windowReceive: 8 })).toThrow(RangeError);
    expect(() => encodeParameters({ ...DEFAULT_PARAMETERS, maxInformationReceive: 0 })).toThrow(RangeError);
  });
});

it('the LLC header distinguishes commands from responses', () => {
  expect(toHex(addLlc('command', fromHex('C001')))).toBe('E6E600C001');
  expect(toHex(removeLlc('response', fromHex('E6E700C401')))).toBe('C401');
  for (const hex of ['E6E600C401', 'E6E7', '']) expect(() => removeLlc('response', fromHex(hex))).toThrow(DecodeError);
});
