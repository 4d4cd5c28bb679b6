import { expect, test } from 'vitest';
import { localeOf } from './locale.ts';

test.each([
  [undefined, 'en-US'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'],
  ['en;q=0.4, zh-Hans;q=0.7', 'zh-CN'],
  ['de-DE,de;q=0.9', 'en-US'],
  ['de, zh;q=0.1', 'zh-CN'],
  ['zh;q=0, en', 'en-US'],
  [';;;,q=', 'en-US'],
])('%s selects the language %s', (header, locale) => {
  expect(localeOf(header)).toBe(locale);
});
