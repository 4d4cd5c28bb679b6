import { expect, test } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

test.each(['P@ssw0rd!', 'Passw0rd123!', 'Welcome2024!', 'Qwerty-123', 'Adm1nistrator!9', '$ummer2026!', 'Nihao_1234', 'Zhang.Wei1'])(
  '%s is refused',
  async (password) => {
    expect(await isCommonPassword(password, 'zhang.wei')).toBe(true);
  },
);

test.each(['!Qaz2wsx', 'Keli_14'])('%s was found in breaches', async (password) => {
  expect(await isCommonPassword(password, 'zhang.wei')).toBe(true);
});

test.each(['Hes-2026!', 'Dcu_1234', 'Dlms@2026', 'Cosem-77!', 'Dianbiao_66'])('%s is a word of this trade', async (password) => {
  expect(await isCommonPassword(password, 'zhang.wei')).toBe(true);
});

test.each(['Quiet-Meadow-7', 'tR4nsf0rmer!Loss', 'Xk9_vvQ2', '7Lanterns+Harbour', 'Brand-New-77'])('%s is taken', async (password) => {
  expect(await isCommonPassword(password, 'zhang.wei')).toBe(false);
});
