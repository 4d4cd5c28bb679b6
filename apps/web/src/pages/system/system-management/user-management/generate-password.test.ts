import { PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import { expect, test } from 'vitest';
import { generatePassword } from './generate-password.ts';

test('a generated password keeps the rule, is long, and comes only once', () => {
  const words = Array.from({ length: 200 }, generatePassword);
  for (const word of words) expect(word).toMatch(PASSWORD_RULE);
  expect(new Set(words).size).toBe(200);
  expect(Math.min(...words.map((word) => word.length))).toBe(14);
});
