import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isGuessable } from './guessable-key.ts';

describe('a key that can be guessed', () => {
  test.each([
    ['nothing but zeros', '00'.repeat(16)],
    ['one octet', 'FF'.repeat(32)],
    ['the example of the standard', '000102030405060708090A0B0C0D0E0F'],
    ['the other example of the standard', 'd0d1d2d3d4d5d6d7d8d9dadbdcdddedf'],
    ['a staircase downwards over zero', '0F0E0D0C0B0A09080706050403020100'],
    ['tens', '00112233445566778899AABBCCDDEEFF'],
    ['a word four times', 'DEADBEEF'.repeat(4)],
    ['all digits twice', '0123456789ABCDEF'.repeat(2)],
    ['digits as text', Buffer.from('2026112212345678').toString('hex')],
    ['a suite 2 key of two equal halves', 'A1B2C3D4E5F60718293A4B5C6D7E8F90'.repeat(2)],
  ])('%s', (_, hex) => expect(isGuessable(hex)).toBe(true));

  test('is none that a good source makes', () => {
    const made = Array.from({ length: 10_000 }, (_, at) => randomBytes(at % 2 === 0 ? 16 : 32).toString('hex'));
    expect(made.filter(isGuessable)).toEqual([]);
  });
});
