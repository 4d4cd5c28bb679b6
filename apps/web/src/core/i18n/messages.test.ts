import { expect, test } from 'vitest';
import { SOURCE_LANGUAGES } from '@hes/contract/core/text.ts';
import type { Messages } from './messages.ts';

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.{ts,tsx}'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const texts = import.meta.glob<Record<string, Messages>>(['/src/**/messages.ts', '/src/**/*.messages.ts', '!/src/core/i18n/messages.ts'], {
  eager: true,
});

const HAN = /\p{Script=Han}/u;
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
/** Names of the parameters in a text. The plural form `{count|meter|meters}` need not exist in all languages. */
const parameters = (sentence: string) => new Set(sentence.match(/(?<=\{)\w+(?=\})/g));

test('the walk sees the console', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(90);
  expect(Object.keys(texts).length).toBeGreaterThan(9);
});

/** The title of a page stands in its row. */
const PAGES = '/src/core/url/pages.ts';

test.each(Object.entries(sources).filter(([file]) => !(file in texts) && file !== PAGES))(
  '%s keeps its words in messages.ts',
  (_, source) => {
    // English text in code is found by the boundary check, which can tell code from text.
    expect(withoutComments(source).match(HAN)?.[0]).toBeUndefined();
  },
);

test.each(Object.entries(texts))('%s says everything in all languages, with the same parameters', (_, exported) => {
  for (const messages of Object.values(exported))
    for (const [key, text] of Object.entries(messages))
      for (const language of SOURCE_LANGUAGES) {
        expect(text[language], `${key} ${language}`).not.toBe('');
        expect(parameters(text[language]), `${key} ${language}`).toEqual(parameters(text.en));
      }
});
