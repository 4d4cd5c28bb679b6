import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LANGUAGES, translationIn, type Catalogue, type Language } from '../../packages/contract/src/core/text.ts';
import es from '../../packages/contract/src/languages/es.json' with { type: 'json' };
import { isTerm } from '../../apps/web/src/domain/glossary/terms.ts';
import { isPage, PAGE_PATHS, PAGES } from '../../apps/web/src/core/url/pages.ts';
import { sourceTexts } from './source-texts.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EVERY_LANGUAGE = Object.values(LANGUAGES).map(({ language }) => language);
const HELPED = PAGE_PATHS.filter((page) => !PAGES[page].isBare);

const fileOf = (page: string, language: Language): string => `apps/web/src/pages${page}/help/${language}.md`;
const helpOf = (page: string, language: Language): string => {
  const file = path.join(ROOT, fileOf(page, language));
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const everyHelp = HELPED.flatMap((page) =>
  EVERY_LANGUAGE.map((language) => ({ language, file: fileOf(page, language), text: helpOf(page, language) })),
);

/** The labels of the console in a language. */
function labelsIn(language: Language): ReadonlySet<string> {
  const catalogue: Catalogue = es;
  const onControls = sourceTexts(ROOT).filter(({ files }) => files.some((file) => !file.startsWith('apps/web/src/domain/glossary/')));
  return new Set(onControls.map((text) => (language === 'es' ? (translationIn(catalogue, text) ?? text.en) : text[language])));
}

/** What a translation must keep: headings, steps, links and labels, in their order. */
const shapeOf = (help: string): string[] => help.split('\n').map((line) => /^(## |\d+\. |\* )?/.exec(line)?.[0] ?? '');
const targetsOf = (help: string): string[] => [...help.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '').toSorted();

test('every page has help in every language', () => {
  expect(everyHelp.filter(({ text }) => text === '').map(({ file }) => file)).toEqual([]);
});

test('the help of a page has the same parts and links in every language', () => {
  for (const page of HELPED)
    for (const language of EVERY_LANGUAGE) {
      expect(shapeOf(helpOf(page, language)), fileOf(page, language)).toEqual(shapeOf(helpOf(page, 'en')));
      expect(targetsOf(helpOf(page, language)), fileOf(page, language)).toEqual(targetsOf(helpOf(page, 'en')));
    }
});

test('links of the help lead to pages and words that exist', () => {
  const isKnown = (target: string) => (target.startsWith('#') ? isTerm(target.slice(1)) : isPage(target));
  const unknown = everyHelp.flatMap(({ file, text }) =>
    targetsOf(text)
      .filter((target) => !isKnown(target))
      .map((target) => `${file}: ${target}`),
  );
  expect(unknown).toEqual([]);
});

test('every label that the help names is on a control of the console', () => {
  const labels = new Map(EVERY_LANGUAGE.map((language) => [language, labelsIn(language)]));
  const unknown = everyHelp.flatMap(({ file, language, text }) =>
    [...text.matchAll(/\*\*([^*]+)\*\*/g)]
      .filter(([, label]) => !labels.get(language)?.has(label ?? ''))
      .map(([, label]) => `${file}: ${label}`),
  );
  expect(unknown).toEqual([]);
});
