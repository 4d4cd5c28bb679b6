import path from 'node:path';
import { compiler } from 'markdown-to-jsx/html';
import { idOfDocument, idOfPage, idOfTerm, type Chapter } from './chapters.ts';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Of links to pages and words of the console, and to other chapters; all others are left as they are. */
function targetOf(href: string, chapters: ReadonlySet<string>): string | undefined {
  if (href.startsWith('/')) return `#${idOfPage(href)}`;
  if (href.startsWith('#')) return `#${idOfTerm(href.slice(1))}`;
  if (/^[a-z]+:/.test(href)) return href;
  const id = idOfDocument(path.basename(href).replace(/#.*/, ''));
  return chapters.has(id) ? `#${id}` : undefined;
}

/** Links lead within the manual. A document that is not a part of it is named without a link. */
const withLinks = (html: string, chapters: ReadonlySet<string>): string =>
  html.replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs, (_, href: string, text: string) => {
    const target = targetOf(href, chapters);
    return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
  });

/** Headings of a chapter are one level below its title, and have no addresses that two chapters could share. */
const withoutAddresses = (html: string): string =>
  html.replaceAll(/<(\/?)h([1-4])(?: id="[^"]*")?>/g, (_, slash: string, level: string) => `<${slash}h${Number(level) + 1}>`);

function chapterHtml({ id, title, markdown, page }: Chapter, chapters: ReadonlySet<string>, picture: string | undefined): string {
  const text = withLinks(withoutAddresses(compiler(markdown, { forceBlock: true })), chapters);
  const shot = picture === undefined ? '' : `<img src="${escaped(picture)}" alt="${escaped(title)}" loading="lazy">`;
  const address = page === undefined ? '' : `<p class="address">/hes${page}</p>`;
  return `<section id="${id}"><h2>${escaped(title)}</h2>${address}${shot}${text}</section>`;
}

export interface Manual {
  /** BCP 47, for hyphens and screen readers. */
  locale: string;
  title: string;
  chapters: readonly Chapter[];
  /** A last chapter with words and their meanings. */
  glossary?: { title: string; words: readonly { name: string; word: string; meaning: string }[] };
  /** The file of the picture of a chapter, relative to the manual. */
  pictureOf?: (chapter: Chapter) => string | undefined;
}

/** A manual as one page: it is searched with the browser, and printed as one document. */
export function renderManual({ locale, title, chapters, glossary, pictureOf }: Manual): string {
  const ids = new Set(chapters.map(({ id }) => id));
  const words =
    glossary?.words.map(({ name, word, meaning }) => `<dt id="${idOfTerm(name)}">${escaped(word)}</dt><dd>${escaped(meaning)}</dd>`) ?? [];
  const entries = [
    ...chapters.map((chapter) => ({ id: chapter.id, title: chapter.title })),
    ...(glossary ? [{ id: 'glossary', title: glossary.title }] : []),
  ];
  return `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><link rel="stylesheet" href="manual.css"></head>
<body>
<nav><h1>${escaped(title)}</h1><ol>${entries.map((entry) => `<li><a href="#${entry.id}">${escaped(entry.title)}</a></li>`).join('')}</ol></nav>
<main>
${chapters.map((chapter) => chapterHtml(chapter, ids, pictureOf?.(chapter))).join('\n')}
${glossary ? `<section id="glossary"><h2>${escaped(glossary.title)}</h2><dl>${words.join('')}</dl></section>` : ''}
</main>
</body>
</html>
`;
}

/** The first page: the manuals by name. */
export function renderIndex(manuals: readonly { file: string; title: string; locale: string }[]): string {
  const items = manuals.map(
    ({ file, title, locale }) => `<li><a href="${file}" hreflang="${locale}" lang="${locale}">${escaped(title)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en-US">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Manuals of HES</title><link rel="stylesheet" href="manual.css"></head>
<body><main><h1>Manuals of HES</h1><ul>${items.join('')}</ul></main></body>
</html>
`;
}
