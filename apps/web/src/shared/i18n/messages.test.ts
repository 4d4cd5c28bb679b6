import { expect, test } from 'vitest';
import { format, type Messages } from './messages.ts';

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.{ts,tsx}'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const texts = import.meta.glob<Record<string, Messages>>(
  ['/src/**/messages.ts', '/src/**/*.messages.ts', '!/src/shared/i18n/messages.ts'],
  { eager: true },
);

const HAN = /\p{Script=Han}/u;
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
/** Names of the parameters in a text. The plural form `{count|meter|meters}` need not exist in both languages. */
const parameters = (sentence: string) => new Set(sentence.match(/(?<=\{)\w+(?=\})/g));

test('the walk sees the console', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(90);
  expect(Object.keys(texts).length).toBeGreaterThan(9);
});

test.each(Object.entries(sources).filter(([file]) => !(file in texts)))('%s keeps its words in messages.ts', (_, source) => {
  // English text in code is found by the boundary check, which can tell code from text.
  expect(withoutComments(source).match(HAN)?.[0]).toBeUndefined();
});

test.each(Object.entries(texts))('%s says everything in both languages, with the same parameters', (_, exported) => {
  for (const messages of Object.values(exported))
    for (const [key, text] of Object.entries(messages)) {
      expect(text.en, key).not.toBe('');
      expect(text.zh, key).not.toBe('');
      expect(parameters(text.zh), key).toEqual(parameters(text.en));
    }
});

test('a sentence takes its parameters, groups numbers and chooses one or many', () => {
  const text = { en: '{count} {count|meter|meters} of {name}', zh: '{name}的 {count} 块电表' };
  expect(format(text, 'en-US', { count: 1, name: 'T1' })).toBe('1 meter of T1');
  expect(format(text, 'en-US', { count: 1236, name: 'T1' })).toBe('1,236 meters of T1');
  expect(format(text, 'zh-CN', { count: 2, name: 'T1' })).toBe('T1的 2 块电表');
});
