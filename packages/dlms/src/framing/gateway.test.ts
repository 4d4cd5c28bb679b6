import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { decodeGateway, encodeGateway } from './gateway.ts';

describe('gateway prefix', () => {
  it('precedes the APDU, as E6 to a meter and E7 from it', () => {
    const to = { networkId: 0, address: fromHex('3132') };
    expect(toHex(encodeGateway(to, fromHex('C001')))).toBe('E600023132C001');
    expect(toHex(encodeGateway({ ...to, response: true }, fromHex('C401')))).toBe('E700023132C401');
  });

  it('distinguishes a response from a request', () => {
    const to = { networkId: 7, address: fromHex('3132'), apdu: fromHex('C001') };
    expect(decodeGateway(fromHex('E607023132C001'))).toEqual({ ...to, response: false });
    expect(decodeGateway(fromHex('E707023132C001'))).toEqual({ ...to, response: true });
  });

  it('is absent when the gateway itself is meant', () => {
    expect(decodeGateway(fromHex('C001C1'))).toBeUndefined();
    expect(decodeGateway(new Uint8Array(0))).toBeUndefined();
  });

  it('is refused when it is cut off or has no APDU behind it', () => {
    for (const hex of ['E6', 'E700', 'E6000531', 'E600023132']) expect(() => decodeGateway(fromHex(hex))).toThrow(DecodeError);
  });
});
