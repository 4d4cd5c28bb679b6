import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { apduCodec } from './apdu.ts';

/** Meaning, octets and expected fields. */
const VECTORS: [says: string, hex: string, shape: object][] = [
  [
    'a request reads one attribute',
    '0501 02 FA08',
    { apdu: 'readRequest', specifications: [{ kind: 'variableName', variableName: -1528 }] },
  ],
  [
    'a request reads a part of a profile',
    '0501 04 1388 02 020406000000010600000003120001120000',
    { apdu: 'readRequest', specifications: [{ kind: 'parameterizedAccess', variableName: 5000, selector: 2 }] },
  ],
  ['a request asks for the next block', '0501 05 0002', { specifications: [{ kind: 'blockNumberAccess', blockNumber: 2 }] }],
  ['an answer holds a value', '0C01 00 0600001391', { results: [{ kind: 'data', data: fromHex('0600001391') }] }],
  ['a response holds a refusal and a value', '0C02 01 03 00 1105', { results: [{ result: 'readWriteDenied' }, { kind: 'data' }] }],
  ['an answer holds a block', '0C01 02 00 0001 03 090401', { results: [{ kind: 'dataBlock', lastBlock: false, blockNumber: 1 }] }],
  ['a request writes one attribute', '0601 02 0038 01 0F00', { apdu: 'writeRequest', data: [fromHex('0F00')] }],
  ['an answer to a write', '0D02 00 01 03', { results: [{ kind: 'success' }, { kind: 'dataAccessError', result: 'readWriteDenied' }] }],
  ['an unconfirmed write', '1601 02 0038 01 0F00', { apdu: 'unconfirmedWriteRequest' }],
  // The same octets from pydlms-client 0.1.0 and, without the tag, from jDLMS 1.8.0.
  [
    'an unconfirmed write of two attributes',
    '1602 02 0038 02 FA08 02 1100 0600000007',
    { specifications: [{ variableName: 0x38 }, { variableName: 0xfa08 - 0x1_0000 }], data: [fromHex('1100'), fromHex('0600000007')] },
  ],
  // Encoded by pydlms-client 0.1.0.
  [
    'an unconfirmed write of a part of an attribute',
    '1601 04 1388 02 1105 01 09020102',
    { specifications: [{ kind: 'parameterizedAccess', variableName: 5000, selector: 2, parameter: { type: 'unsigned', value: 5 } }] },
  ],
  ['a report without a time', '18 00 01 02 0010 01 1201F4', { apdu: 'informationReportRequest', currentTime: undefined }],
  ['a report with a time', '18 01 0F 32303236313132313134343530305A 01 02 0010 01 1201F4', { currentTime: '20261121144500Z' }],
];

describe('short names', () => {
  for (const [says, hex, shape] of VECTORS) {
    it(`${says} (${hex})`, () => {
      const octets = fromHex(hex);
      const apdu = decode(apduCodec, octets);
      expect(apdu).toMatchObject(shape);
      expect(toHex(encode(apduCodec, apdu))).toBe(toHex(octets));
    });
  }

  it('refuse detailed access, unknown choices and wrong counts', () => {
    for (const hex of ['0501030000', '0501080000', '0C0104', '0D0103', '05820FFF020000', '0601020038820FFF0F00'])
      expect(() => decode(apduCodec, fromHex(hex))).toThrow(DecodeError);
  });
});

describe('general ciphering and signing', () => {
  const HEADER = '08 0000000000000001 08 4D4D4D0000BC614E 08 4D4D4D0000000001 00 00';

  it('show sender, recipient and key, and leave the service ciphered', () => {
    const octets = fromHex(`DD ${HEADER} 01 00 00 09 30 00000007 DEADBEEF`);
    const apdu = decode(apduCodec, octets);
    expect(apdu).toMatchObject({
      apdu: 'generalCiphering',
      originatorSystemTitle: fromHex('4D4D4D0000BC614E'),
      keyInfo: { kind: 'identified', keyId: 'globalUnicastEncryption' },
      service: { securityControl: 0x30, invocationCounter: 7, body: fromHex('DEADBEEF') },
    });
    expect(toHex(encode(apduCodec, apdu))).toBe(toHex(octets));
  });

  it('show wrapped and agreed keys', () => {
    expect(decode(apduCodec, fromHex(`DD ${HEADER} 01 01 00 02 AABB 05 31 00000001`))).toMatchObject({
      keyInfo: { kind: 'wrapped', kekId: 'master', keyCipheredData: fromHex('AABB') },
    });
    expect(decode(apduCodec, fromHex(`DD ${HEADER} 01 02 01 02 01 CC 05 31 00000001`))).toMatchObject({
      keyInfo: { kind: 'agreed', keyParameters: fromHex('02'), keyCipheredData: fromHex('CC') },
    });
  });

  it('show the signed content and the signature', () => {
    const octets = fromHex(`DF ${HEADER} 03 C401C1 02 1234`);
    const apdu = decode(apduCodec, octets);
    expect(apdu).toMatchObject({ apdu: 'generalSigning', content: fromHex('C401C1'), signature: fromHex('1234') });
    expect(toHex(encode(apduCodec, apdu))).toBe(toHex(octets));
  });

  it('are refused when truncated', () => {
    for (const hex of [`DD ${HEADER} 00 04 30 000000`, `DD ${HEADER} 01 03`, `DF ${HEADER} 03 C401C1 02 12`, 'DD 09 00'])
      expect(() => decode(apduCodec, fromHex(hex))).toThrow(DecodeError);
  });
});
