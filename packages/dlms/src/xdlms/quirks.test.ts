import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { actionResponse } from './action.ts';
import { apduCodec } from './apdu.ts';
import { readBareAlarm } from '../framing/bare-alarm.ts';
import { isCipheredTag, serviceCipheredTag } from './ciphered.ts';
import { dataNotification } from './data-notification.ts';
import { eventNotification } from './event-notification.ts';
import { exceptionResponse } from './exception-response.ts';
import { initiateRequest } from './initiate.ts';

describe('deviations of deployed peers', () => {
  it('an action response may end with its result', () => {
    expect(decode(actionResponse, fromHex('C701C100'))).toMatchObject({ result: 'success', returned: undefined });
    expect(decode(actionResponse, fromHex('C701C10000'))).toMatchObject({ result: 'success', returned: undefined });
  });

  it('the time of an event may have a Data tag in place of its presence flag', () => {
    const standard = decode(eventNotification, fromHex('C2010C07E1090F05052128FF800000 0001 0000600B00FF 02 1101'));
    const tagged = decode(eventNotification, fromHex('C2090C07E1090F05052128FF800000 0001 0000600B00FF 02 1101'));
    expect(tagged).toEqual(standard);
    expect(standard.time?.year).toBe(2017);
  });

  it('the time of an event may follow any flag, and may be absent', () => {
    const event = (hex: string) => decode(eventNotification, fromHex(hex));
    expect(event('C2FF0C07E1090F05052128FF800000 0001 0000600B00FF 02 1101').time?.year).toBe(2017);
    expect(event('C200 0001 0000600B00FF 02 1101')).toMatchObject({
      time: undefined,
      attribute: { classId: 1, instance: '0.0.96.11.0.255', attributeId: 2 },
      data: fromHex('1101'),
    });
    expect(event('C20100 0001 0000600B00FF 02 1101').time).toBeUndefined();
    expect(() => event('C2010B07E1090F05052128FF8000 0001 0000600B00FF 02 1101')).toThrow(DecodeError);
  });

  it('the time of a notification may be absent, plain, or tagged like Data', () => {
    const notification = (hex: string) => decode(dataNotification, fromHex(hex));
    const moment = '07E1090F05052128FF800000';
    expect(notification('0F4000000100 0201 1105')).toMatchObject({ longInvoke: { id: 1, confirmed: true }, dateTime: undefined });
    expect(notification(`0F000000010C${moment} 0201 1105`).dateTime?.year).toBe(2017);
    expect(notification(`0F00000001090C${moment} 0201 1105`)).toEqual(notification(`0F000000010C${moment} 0201 1105`));
    expect(() => notification(`0F000000010909${moment} 0201 1105`)).toThrow(DecodeError);
    expect(() => notification('0F00000001000201')).toThrow(DecodeError);
  });

  it('an alarm may be an equipment id and a register, without any framing', () => {
    expect(readBareAlarm(fromHex('45303030312C00000004'))).toEqual({ equipmentId: 'E0001', alarms: 4 });
    for (const hex of ['', '2C00000004', '45303030312C000004', '45303030312C0000000400', '45003030312C00000004', '0F4000000100'])
      expect(readBareAlarm(fromHex(hex))).toBeUndefined();
  });

  it('conformance may lack the second octet of its tag', () => {
    const standard = decode(initiateRequest, fromHex('01000000065F1F0400007E1F04B0'));
    expect(decode(initiateRequest, fromHex('01000000065F0400007E1F04B0'))).toEqual(standard);
    expect(toHex(encode(initiateRequest, standard))).toBe('01000000065F1F0400007E1F04B0');
  });

  it('an invocation-counter error may lack the counter', () => {
    expect(decode(exceptionResponse, fromHex('D8020600001234'))).toMatchObject({ invocationCounter: 0x1234 });
    expect(decode(exceptionResponse, fromHex('D80206'))).toEqual({ stateError: 'serviceUnknown', serviceError: 'invocationCounterError' });
  });
});

describe('apduCodec', () => {
  it('refuses octets after an APDU', () => {
    expect(() => decode(apduCodec, fromHex('C501C10000'))).toThrow(DecodeError);
  });

  it('refuses an authenticated APDU that is shorter than its tag', () => {
    expect(() => decode(apduCodec, fromHex('C80530 01234567'))).toThrow('TRUNCATED');
    expect(decode(apduCodec, fromHex('C80520 01234567'))).toMatchObject({ body: new Uint8Array(0) });
  });

  it('names the field of an error', () => {
    expect(() => decode(apduCodec, fromHex('C403C10200110501'))).toThrow('TRUNCATED in getResponse.withList.results.1.result @ 8');
  });
});

describe('serviceCipheredTag', () => {
  it('returns the ciphered tag of services that have one', () => {
    expect(serviceCipheredTag(0xc0, 'glo')).toBe(0xc8);
    expect(serviceCipheredTag(0xc7, 'ded')).toBe(0xd7);
    expect(serviceCipheredTag(0x01, 'glo')).toBe(0x21);
    expect(serviceCipheredTag(0x0f, 'glo')).toBeUndefined();
    expect(serviceCipheredTag(0xd8, 'glo')).toBeUndefined();
    expect([0xc8, 0xdb, 0xc0].map(isCipheredTag)).toEqual([true, true, false]);
  });
});
