import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { addCatalogue, LANGUAGES, say, type Locale } from '../../packages/contract/src/core/text.ts';
import es from '../../packages/contract/src/languages/es.json' with { type: 'json' };
import { MODULES } from '../../apps/server/src/db/seed/modules.ts';
import { PAGE_PATHS, PAGES } from '../../apps/web/src/core/url/pages.ts';
import { GLOSSARY } from '../../apps/web/src/domain/glossary/terms.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** A part of a manual. Its address is unique within the manual. */
export interface Chapter {
  id: string;
  title: string;
  markdown: string;
  /** The page of the console that the chapter describes. */
  page?: string;
}

addCatalogue('es', es);

export const idOfPage = (page: string): string => page.slice(1).replaceAll('/', '-');
export const idOfTerm = (term: string): string => `word-${term}`;

/** The name of the menu in which a page is found; undefined for the dashboard. */
function menuOf(page: string, locale: Locale): string | undefined {
  const group = MODULES.find(({ path: each, parentId }) => parentId === null && page.startsWith(`${each}/`));
  return group && say({ en: group.nameEn, zh: group.nameZh }, locale);
}

/** The operator's manual: the help of every page, in the order of the menu. */
export function operatorChapters(locale: Locale): Chapter[] {
  const { language } = LANGUAGES[locale];
  return PAGE_PATHS.filter((page) => !PAGES[page].isBare).map((page) => {
    const title = say(PAGES[page].title, locale);
    const menu = menuOf(page, locale);
    return {
      id: idOfPage(page),
      title: menu === undefined ? title : `${menu} › ${title}`,
      markdown: readFileSync(path.join(ROOT, `apps/web/src/pages${page}/help/${language}.md`), 'utf8'),
      page,
    };
  });
}

/** Words and meanings by the name of the word, sorted by the word. */
export const glossaryIn = (locale: Locale): { name: string; word: string; meaning: string }[] =>
  Object.entries(GLOSSARY)
    .map(([name, { word, meaning }]) => ({ name, word: say(word, locale), meaning: say(meaning, locale) }))
    .toSorted((one, other) => one.word.localeCompare(other.word, locale));

/** Documents of the administrator's manual, in the order in which an installation needs them. */
export const ADMINISTRATOR = [
  'docs/how-to/install.md',
  'docs/settings.md',
  'docs/how-to/ports-and-keys.md',
  'docs/how-to/put-it-behind-a-proxy.md',
  'docs/how-to/harden-an-installation.md',
  'docs/how-to/secure-the-dlms-port.md',
  'docs/how-to/keep-certificates.md',
  'docs/how-to/run-the-second-factor.md',
  'docs/how-to/sign-in-with-your-directory.md',
  'docs/how-to/rotate-the-master-key.md',
  'docs/how-to/back-up-and-restore.md',
  'docs/how-to/recover-from-a-disaster.md',
  'docs/monitoring.md',
  'docs/how-to/be-told-about-alarms.md',
  'docs/how-to/balance-with-haproxy.md',
  'docs/how-to/divide-the-work.md',
  'docs/how-to/put-a-pooler-in-front-of-the-database.md',
  'docs/how-to/fail-over-the-database.md',
  'docs/how-to/spread-readings-with-citus.md',
  'docs/how-to/carry-the-bus-by-nats.md',
  'docs/scale.md',
] as const;

export const idOfDocument = (file: string): string => path.basename(file, '.md');

/** The administrator's manual, of the documents that exist; the title of each is its first line. */
export function administratorChapters(): Chapter[] {
  return ADMINISTRATOR.filter((file) => existsSync(path.join(ROOT, file))).map((file) => {
    const [first = '', ...rest] = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
    return { id: idOfDocument(file), title: first.replace(/^# /, ''), markdown: rest.join('\n') };
  });
}
