import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PdfPages } from './pdf-pages.ts';

/** The decompressed streams of a file. */
function streamsOf(file: Buffer): string[] {
  const text = file.toString('latin1');
  return [...text.matchAll(/(<<[^>]*\/FlateDecode[^]*?>>)\s*stream\r?\n/g)].map(({ index, 0: head }) => {
    const begin = index + head.length;
    return inflateSync(file.subarray(begin, text.indexOf('endstream', begin))).toString('latin1');
  });
}

it('a page embeds its glyphs, including rare ones, with a Unicode map for copying', async () => {
  const pages = new PdfPages();
  const words = ['Electricity statement', '电量对账单', '㛃䶮喆'];
  words.forEach((text, k) => pages.text({ x: 56, y: 72 + 20 * k, size: 12, text }));
  pages.text({ x: 56, y: 200, size: 12, text: 'W'.repeat(100), width: 60 });
  pages.turn();
  pages.line(56, 539, 90);
  const file = await pages.finish('Two pages');
  expect(file.toString('latin1')).toMatch(/^%PDF-1\./);
  expect(file.toString('latin1')).toContain('/FontFile3');
  expect(file.toString('latin1')).toContain('/Count 2');
  expect(file.length).toBeLessThan(100_000);
  const meanings = streamsOf(file).find((stream) => stream.includes('beginbfrange') || stream.includes('beginbfchar'));
  for (const letter of `${words.join('')}…`) expect(meanings, letter).toContain((letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0'));
});
