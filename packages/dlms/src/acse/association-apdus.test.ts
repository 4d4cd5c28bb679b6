import { describe, expect, it } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { aare } from './aare.ts';
import { aarq } from './aarq.ts';
import { rlre } from './rlre.ts';
import { rlrq } from './rlrq.ts';

describe('AARE', () => {
  it('may begin with a protocol version, as Landis+Gyr and jDLMS send it', () => {
    const answer = decode(aare, fromHex('6119 80020284 A109060760857405080101 A203020100 A305A103020100'.replace('6119', '611B')));
    expect(answer).toMatchObject({ applicationContext: 'ln', result: 'accepted', diagnostic: { source: 'user', reason: 'null' } });
    expect(answer.userInformation).toBeUndefined();
  });

  it('keeps unnamed diagnostics as numbers', () => {
    const answer = decode(aare, fromHex('6117 A109060760857405080101 A203020102 A305A203020107'));
    expect(answer).toMatchObject({ result: 'rejectedTransient', diagnostic: { source: 'provider', reason: 7 } });
  });

  it('recognises an object identifier with a leading zero octet, and keeps unknown ones', () => {
    const padded = decode(aare, fromHex('6118 A10A06086085748005080101 A203020100 A305A103020100'));
    expect(padded.applicationContext).toBe('ln');
    const foreign = decode(aare, fromHex('6117 A109060760857405080109 A203020100 A305A103020100'));
    expect(foreign.applicationContext).toBe('2.16.756.5.8.1.9');
  });

  it.each([
    ['with a field that is longer than what holds it', '6117 A109060860857405080101 A203020100 A305A103020100', 'applicationContext', 6],
    ['with octets left in a field', '6118 A109060760857405080101 A20402010000 A305A103020100', 'result', 18],
    ['that is cut off', '6117 A109060760857405080101 A203020100 A305', '', 2],
  ])('is refused %s, with the offset', (_, octets, path, offset) => {
    expect(() => decode(aare, fromHex(octets))).toThrow(expect.objectContaining({ name: 'DecodeError', path, offset }));
  });

  it('is refused without a result, or with a repeated field', () => {
    expect(() => decode(aare, fromHex('610B A109060760857405080101'))).toThrow(DecodeError);
    expect(() => decode(aare, fromHex('611C A109060760857405080101 A203020100 A203020100 A305A103020100'))).toThrow(DecodeError);
  });
});

describe('AARQ', () => {
  it('of lowest security has no mechanism fields at all', () => {
    const octets = encode(aarq, { applicationContext: 'ln', userInformation: fromHex('01000000065F1F0400007E1F04B0') });
    expect(toHex(octets)).toBe('601DA109060760857405080101BE10040E01000000065F1F0400007E1F04B0');
  });

  it('keeps unknown fields', () => {
    const request = decode(aarq, fromHex('6010 A109060760857405080101 BD03040155'));
    expect(request.others).toEqual([{ tag: 0xbd, content: fromHex('040155') }]);
    expect(toHex(encode(aarq, request))).toBe('6010A109060760857405080101BD03040155');
  });

  it('is refused without an application context', () => {
    expect(() => decode(aarq, fromHex('6000'))).toThrow(DecodeError);
  });
});

describe('release', () => {
  it('has three octets of reason, and is accepted with any lengths', () => {
    expect(toHex(encode(rlrq, { reason: 0 }))).toBe('6203800100');
    expect(decode(rlre, fromHex('6311800100BE0F040E0800065F1F040000001004000007'))).toEqual({
      reason: 0,
      userInformation: fromHex('0800065F1F040000001004000007'),
    });
    expect(decode(rlre, fromHex('6300'))).toEqual({});
  });

  it('is refused with a repeated field', () => {
    const information = 'BE10040E0800065F1F040000001004000007';
    expect(() => decode(rlre, fromHex(`6300${information}${information}`))).toThrow(DecodeError);
    expect(() => decode(rlre, fromHex('6300800100800100'))).toThrow(DecodeError);
  });
});
