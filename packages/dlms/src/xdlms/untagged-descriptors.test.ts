import { describe, expect, it } from 'vitest';
import { decodeNotification, decodeNotificationValue } from '../association/notification.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import type { Data } from '../cosem/data-value.ts';
import { dataCodec } from '../cosem/data.ts';
import { tagDescriptors } from './untagged-descriptors.ts';

/** A capture of a Sagemcom XT211. Source: esphome-libs/dlms_parser, tests/dumps/raw_sagecom_xt211.log, commit ac1cc1ae (Apache-2.0). */
const XT211 = fromHex(
  '0F8000F1D500020216010116020200010000600101FF02090A3531303030303531343902020046000060030AFF031601020200470000110000FF0306000000000202' +
    '0046000160030AFF03160102020046000260030AFF03160002020046000360030AFF03160002020046000460030AFF031600020200010000600E00FF0209025432' +
    '020200030100010700FF0206000007A4020200030100150700FF0206000000C6020200030100290700FF0206000006A70202000301003D0700FF02060000003602' +
    '0200030100020700FF020600000000020200030100160700FF0206000000000202000301002A0700FF0206000000000202000301003E0700FF0206000000000202' +
    '00030100010800FF0206004AFA82020200030100010801FF0206000E7AC5020200030100010802FF0206003C7FBC020200030100010803FF020600000000020200' +
    '030100010804FF020600000000020200030100020800FF020600000034',
);

const items = (data: Data | undefined): Data[] => (data !== undefined && 'value' in data && Array.isArray(data.value) ? data.value : []);

describe('a push with untagged attribute descriptors', () => {
  it('is read as pairs of capture object and value', () => {
    const { body, longInvoke } = decodeNotification(XT211, () => undefined);
    expect(longInvoke.id).toBe(0xf1d5);
    expect(decodeNotificationValue(XT211, () => undefined).value).toEqual(decode(dataCodec, body));
    const [, list] = items(decode(dataCodec, body));
    const pairs = items(list).map((pair) => items(pair));
    expect(pairs).toHaveLength(22);
    const nameOf = (column: Data | undefined) => items(column).map((field) => ('value' in field ? field.value : undefined));
    expect(nameOf(pairs[16]?.[0])).toEqual([3, fromHex('0100010800FF'), 2, 0]);
    expect(pairs[16]?.[1]).toEqual({ type: 'doubleLongUnsigned', value: 4_913_794 });
  });

  it('is no other push, and not a broken one', () => {
    const usual = fromHex('0F40000000000201 0600000001');
    expect(tagDescriptors(usual)).toBeUndefined();
    expect(toHex(decodeNotification(usual, () => undefined).body)).toBe('02010600000001');
    for (let length = 1; length < XT211.length; length++) expect(tagDescriptors(XT211.subarray(0, length))).toBeUndefined();
    expect(() => decodeNotification(XT211.subarray(0, 100), () => undefined)).toThrow(DecodeError);
  });
});
