import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LANGUAGES, LOCALES, type Locale } from '../../packages/contract/src/core/text.ts';
import { administratorChapters, glossaryIn, operatorChapters } from './chapters.ts';
import { renderIndex, renderManual } from './render.ts';

const TITLES: Readonly<Record<Locale, { manual: string; glossary: string }>> = {
  'en-US': { manual: "Operator's manual", glossary: 'Glossary' },
  'zh-CN': { manual: '操作手册', glossary: '术语' },
  'es-ES': { manual: 'Manual del operador', glossary: 'Glosario' },
};
const ADMINISTRATOR_TITLE = "Administrator's manual";

/** The picture of a chapter in a language, relative to the folder of the manuals. */
export const pictureFile = (chapterId: string, locale: Locale): string => `pictures/${LANGUAGES[locale].language}/${chapterId}.png`;

/** Writes the manuals into a folder and returns its first page. Pictures are shown where `pictures.ts` has made them. */
export function buildManual(folder: string): string {
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(import.meta.dirname, 'manual.css'), path.join(folder, 'manual.css'));
  const write = (file: string, html: string) => writeFileSync(path.join(folder, file), html);
  const index: { file: string; title: string; locale: string }[] = [];
  for (const locale of LOCALES) {
    const { manual, glossary } = TITLES[locale];
    const file = `operator-${LANGUAGES[locale].language}.html`;
    const pictureOf = ({ id }: { id: string }) => {
      const picture = pictureFile(id, locale);
      return existsSync(path.join(folder, picture)) ? picture : undefined;
    };
    write(
      file,
      renderManual({
        locale,
        title: manual,
        chapters: operatorChapters(locale),
        glossary: { title: glossary, words: glossaryIn(locale) },
        pictureOf,
      }),
    );
    index.push({ file, title: manual, locale });
  }
  write('administrator.html', renderManual({ locale: 'en-US', title: ADMINISTRATOR_TITLE, chapters: administratorChapters() }));
  index.push({ file: 'administrator.html', title: ADMINISTRATOR_TITLE, locale: 'en-US' });
  write('index.html', renderIndex(index));
  return path.join(folder, 'index.html');
}
