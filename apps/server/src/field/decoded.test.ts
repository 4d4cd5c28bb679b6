import { failed, ok } from '@hes/contract/core/outcome.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { unsigned } from '@hes/dlms/cosem/data.ts';
import { expect, test } from 'vitest';
import { decoded, decodedAnswer, decodedBy } from './decoded.ts';

const FIVE = encode(unsigned, 5);

test('a value of another type is a BAD_ANSWER whose detail names fault and offset', () => {
  expect(decoded(unsigned, FIVE)).toEqual(ok(5));
  expect(decoded(unsigned, Uint8Array.of(0x09, 0x00))).toMatchObject({
    ok: false,
    reason: 'BAD_ANSWER',
    detail: expect.stringContaining('@ 0'),
  });
  expect(decoded(unsigned, Uint8Array.of(...FIVE, 0))).toMatchObject({
    reason: 'BAD_ANSWER',
    detail: expect.stringContaining('TRAILING_BYTES'),
  });
});

test('a failed response keeps its reason, and one without data is a BAD_ANSWER', () => {
  expect(decodedAnswer(unsigned, ok(FIVE))).toEqual(ok(5));
  expect(decodedAnswer(unsigned, failed('ACCESS_DENIED', 'readWriteDenied'))).toEqual(failed('ACCESS_DENIED', 'readWriteDenied'));
  expect(decodedAnswer(unsigned, ok(undefined))).toMatchObject({ reason: 'BAD_ANSWER' });
  expect(decodedAnswer(unsigned, undefined)).toMatchObject({ reason: 'BAD_ANSWER' });
});

test('an error that is no malformed octet is a fault of the program and is thrown', () => {
  const broken = () => {
    throw new TypeError('a fault of the program');
  };
  expect(() => decodedBy(broken)).toThrow('a fault of the program');
});
