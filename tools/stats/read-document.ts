import type { Text } from './read-source.ts';

const LEAST_WORDS = 3;
/** A title after the name of its file, which the list of that file's texts has already. */
const TEST_TITLE = /(`[^`]+`) "[^"]*"/g;
const BLOCK_START = /^\s*(?:#|[-*+] |\d+\. |>|\||<)/;

/** Sentences, headings and table cells of a Markdown document. Code blocks are skipped; inline code counts as one word. */
export function readSentences(markdown: string): Text[] {
  return readBlocks(markdown).flatMap(({ line, text }) =>
    text
      .replaceAll(TEST_TITLE, '$1')
      .split(/(?<=[.!?][)*_"”]*) +(?=["“(*_[]*[\p{Lu}\d`])|(?<=\S) *\| */u)
      .map((sentence) => ({ line, text: toPlainText(sentence) }))
      .filter((sentence) => sentence.text.split(' ').length >= LEAST_WORDS),
  );
}

/** A block is a paragraph, a list item, a heading or a table row; its wrapped lines are joined. */
function readBlocks(markdown: string): Text[] {
  const blocks: Text[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [at, line] of markdown.split('\n').entries()) {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.trim() === '') {
      isOpen = false;
      continue;
    }
    const last = blocks.at(-1);
    if (isOpen && last && !BLOCK_START.test(line)) last.text += ` ${line.trim()}`;
    else blocks.push({ line: at + 1, text: line.trim() });
    isOpen = !/^\s*[#|]/.test(line);
  }
  return blocks;
}

const toPlainText = (markdown: string): string =>
  markdown
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[-#>*+| ]+|\*\*|<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
