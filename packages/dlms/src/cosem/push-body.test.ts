import { describe, expect, it } from 'vitest';
import { octetsOf, VECTORS } from '../../test/support/vectors.ts';
import { decodeNotification } from '../association/notification.ts';
import { encode } from '../codec/codec.ts';
import { fromHex, toHex } from '../codec/hex.ts';
import { dataCodec } from './data.ts';
import type { Data } from './data-value.ts';
import { obis } from './obis.ts';
import { pushedValues } from './push-body.ts';

const WRAPPER_OCTETS = 8;
const PUSH_SETUP = { classId: 40, instance: obis('0.1.25.9.0.255'), attributeId: 2 };
const E_PLUS = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const nobody = () => undefined;
const known = (instance: string) => (instance === PUSH_SETUP.instance ? [PUSH_SETUP, E_PLUS] : undefined);

const bodyOf = (name: string): Uint8Array => {
  const vector = VECTORS.find((one) => one.name === name);
  if (vector === undefined) throw new Error(`No vector ${name}`);
  const octets = octetsOf(vector);
  return decodeNotification(vector.kind === 'wrapper' ? octets.subarray(WRAPPER_OCTETS) : octets, nobody).body;
};
const body = (...value: Data[]): Uint8Array => encode(dataCodec, { type: 'structure', value });
const name = (hex: string): Data => ({ type: 'octetString', value: fromHex(hex) });
const energy: Data = { type: 'doubleLongUnsigned', value: 7 };

describe('the body of a push', () => {
  it('that begins with its object list is paired by it', () => {
    const values = pushedValues(bodyOf('gx-push'), nobody) ?? [];
    expect(values.map(({ object: { classId, instance, attributeId } }) => `${classId}/${instance}/${attributeId}`)).toEqual([
      '40/0.0.25.9.0.255/2',
      '1/0.0.96.1.0.255/2',
      '3/1.0.1.8.0.255/2',
    ]);
    expect(values.slice(1).map(({ octets }) => toHex(octets))).toEqual(['090741424330303031', '060001E240']);
  });

  it('that begins with the name of a push setup is paired by its known list', () => {
    const values = pushedValues(body(name('0001190900FF'), energy), known);
    expect(values?.[1]).toEqual({ object: E_PLUS, octets: fromHex('0600000007') });
    expect(pushedValues(body(name('0002190900FF'), energy), known)).toBeUndefined();
  });

  it('with more or fewer values than its list is not paired', () => {
    expect(pushedValues(body(name('0001190900FF')), known)).toBeUndefined();
    expect(pushedValues(body(name('0001190900FF'), energy, energy), known)).toBeUndefined();
  });

  it.each(['push-kaifa-ma304-tagged-datetime', 'push-salzburg-netz', 'push-norway-aidon-1ph'])(
    'of %s, which says neither, is of no list',
    (vector) => {
      expect(pushedValues(bodyOf(vector), known)).toBeUndefined();
    },
  );

  it('that is truncated or not a structure is not paired', () => {
    const whole = bodyOf('gx-push');
    for (let end = 0; end < whole.length; end++) expect(pushedValues(whole.subarray(0, end), nobody)).toBeUndefined();
    expect(pushedValues(fromHex('0600000001'), known)).toBeUndefined();
    expect(pushedValues(fromHex('0200'), known)).toBeUndefined();
  });
});
