import type { Language } from '@hes/contract/core/text.ts';

/** The help of the pages: `help/LANGUAGE.md` in the folder of each page. The manual is made of the same files. */
const files = import.meta.glob<string>('../../pages/**/help/*.md', { query: '?raw', import: 'default' });

const fileOf = (path: string, language: Language): string => `../../pages${path}/help/${language}.md`;

/** Loads the help of a page as Markdown, in English where the language has none; undefined for a page without help. */
export async function loadHelp(path: string, language: Language): Promise<string | undefined> {
  const load = files[fileOf(path, language)] ?? files[fileOf(path, 'en')];
  return load?.();
}
