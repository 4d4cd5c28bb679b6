import { expect, test } from 'vitest';
import { SPOKEN_SENTENCES } from '@hes/contract/asset/spoken.ts';
import { LOCALES, say, translationIn, type Catalogue, type TranslatedLanguage } from '@hes/contract/core/text.ts';
import es from '@hes/contract/languages/es.json' with { type: 'json' };
import { sourceTexts, textsIn } from './source-texts.ts';

const CATALOGUES: Record<TranslatedLanguage, Catalogue> = { es };

/** Texts of the sources, and those that the contract builds. */
const texts = [...sourceTexts(process.cwd()), ...SPOKEN_SENTENCES];

/** Names of the inserted parameters. The plural form `{count|meter|meters}` need not exist in all languages. */
const parametersOf = (sentence: string) => [...new Set(sentence.match(/(?<=\{)\w+(?=\})/g))].toSorted();

test('texts are found in objects, arguments and arrays', () => {
  const source = `const a = { en: 'One', zh: '一' }; f('Two', '二'); g(['Three', '三']); const b = { nameEn: 'Four', nameZh: \`四\` };`;
  expect(Object.fromEntries(textsIn('a.ts', source))).toEqual({ One: '一', Two: '二', Three: '三', Four: '四' });
  expect(texts.length).toBeGreaterThan(3500);
});

test.each(Object.entries(CATALOGUES))('the catalogue %s translates every text', (_, catalogue) => {
  expect(texts.filter((text) => !translationIn(catalogue, text)).map(({ en, zh }) => ({ en, zh }))).toEqual([]);
});

test.each(Object.entries(CATALOGUES))('the catalogue %s has no other texts', (_, catalogue) => {
  const wanted = new Map<string, Set<string>>();
  for (const { en, zh } of texts) wanted.set(en, (wanted.get(en) ?? new Set()).add(zh));
  const entries = Object.entries(catalogue).flatMap(([en, found]): [en: string, zh: string | undefined][] =>
    typeof found === 'string' ? [[en, undefined]] : Object.keys(found).map((zh) => [en, zh]),
  );
  expect(entries.filter(([en, zh]) => !(zh === undefined ? wanted.has(en) : wanted.get(en)?.has(zh)))).toEqual([]);
});

test.each(Object.entries(CATALOGUES))('the translations in %s keep the parameters of their texts', (_, catalogue) => {
  const differing = texts.filter((text) => {
    const translation = translationIn(catalogue, text);
    return translation !== undefined && parametersOf(translation).join() !== parametersOf(text.en).join();
  });
  expect(differing.map(({ en }) => en)).toEqual([]);
});

test('a text whose language has no catalogue is shown in English', () => {
  expect(LOCALES.map((locale) => say({ en: 'No such text', zh: '没有这样的文字' }, locale))).toEqual([
    'No such text',
    '没有这样的文字',
    'No such text',
  ]);
});

test('a text of the console stands in at most two files; words that more of them use are declared once', () => {
  const inConsole = sourceTexts(process.cwd()).map(({ en, files }) => ({
    en,
    files: files.filter((file) => file.startsWith('apps/web/')),
  }));
  expect(inConsole.filter(({ files }) => files.length > 2)).toEqual([]);
});
