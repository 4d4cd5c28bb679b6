import { describe, expect, it } from 'vitest';
import { checkClassValue, type ClassValue } from '../../test/support/class-values.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex } from '../codec/hex.ts';
import { disconnectControl } from './classes/disconnect-control.ts';

/** Octets by gurux-dlms 1.0.203 for Python, from the values beside them. */
const BY_GURUX: ClassValue[] = [
  [
    '151/1 networkParameters',
    '0209 1202D0 120CA8 0600015180 12000A 0600000200 120380 0FBA 0FC4 0FCE',
    {
      t3402: 720,
      t3412: 3240,
      t3412ext2: 86_400,
      t3324: 10,
      eDrx: 512,
      ptw: 896,
      qRxlevMin: -70,
      qRxlevMinCe: -60,
      qRxlevMinCe1: -50,
    },
  ],
  ['151/1 qualityOfService', '0204 0F14 0F3C 0FFD 1601', { rsrq: 20, rsrp: 60, signalToNoiseRatio: -3, coverageEnhancement: 1 }],
];

/** Assembled by hand from the types of the class. */
const BY_HAND: ClassValue[] = [
  ['151/0 qualityOfService', '0205 1202D0 120CA8 1114 113C 0FBA', { t3402: 720, t3412: 3240, rsrq: 20, rsrp: 60, qRxlevMin: -70 }],
  ['152/0 udpReference', '09060000190000FF', '0.0.25.0.0.255'],
  ['152/0 ackTimeout', '120002', 2],
  ['152/0 uriPath', '0904646C6D73', fromHex('646C6D73')],
  ['152/0 transportMode', '1602', 'unreliable'],
  ['152/0 tokenLength', '1104', 4],
  [
    '153/0 blockTransferCounter',
    '0202 0600000005 0600000004',
    {
      type: 'structure',
      value: [
        { type: 'doubleLongUnsigned', value: 5 },
        { type: 'doubleLongUnsigned', value: 4 },
      ],
    },
  ],
  ['153/0 reset', '0F00', 0],
  ['73/1 addressState', '1601', 'assigned'],
  ['73/1 addressMask', '0902FF00', fromHex('FF00')],
  ['77/0 linkStatus', '1602', 'temporarilyInterrupted'],
  ['77/0 failedReceptions', '0600000007', 7],
  ['30/0 requiredProtection', '162C', 0x2c],
  [
    '30/0 protectionObjectList',
    '0101 0205 120007 09060100630100FF 0F02 120000 0202 1600 00',
    [{ classId: 7, instance: '1.0.99.1.0.255', attributeId: 2, dataIndex: 0, restriction: { type: 0, value: { type: 'null' } } }],
  ],
  [
    '30/0 protectionParametersGet',
    '0101 0202 1603 0201 0900',
    [{ protectionType: 3, protectionOptions: { type: 'structure', value: [{ type: 'octetString', value: new Uint8Array(0) }] } }],
  ],
  [
    '61/0 tableCellDefinition',
    '0204 120003 090601000108FFFF 0102 1101 1102 0F02',
    { classId: 3, instance: '1.0.1.8.255.255', groupEValues: [1, 2], attributeId: 2 },
  ],
  ['61/0 scalerUnit', '0202 0F00 161E', { scaler: 0, unit: 30 }],
  ['63/0 statusWord', '0408A5', { type: 'bitString', value: '10100101' }],
  ['63/0 mappingTable', '0202 1101 120064', { tableId: 1, mapping: 100 }],
  ['63/0 mappingTable', '0202 1101 0102 120064 120069', { tableId: 1, mapping: [100, 105] }],
  ['70/1 controlMode', '1607', 'mode7'],
  ['70/1 controlMode', '1604', 'mode4'],
];

describe('values of classes of networks, protection and mapping', () => {
  it.each([...BY_GURUX, ...BY_HAND])('%s %s reads and writes as it stands', (at, hex, value) => {
    checkClassValue(at, hex, value);
  });

  it('mode 7 of a disconnect control is not in version 0', () => {
    expect(() => decode(disconnectControl.attributes.controlMode.codec, fromHex('1607'))).toThrow(DecodeError);
  });
});
