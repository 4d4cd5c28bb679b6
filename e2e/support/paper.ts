import { inflateSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';

export interface Sheet {
  widthPt: number;
  heightPt: number;
  /** The text as drawn, without blanks: a browser writes a blank or moves the position between words. */
  text: string;
}

const latin = (bytes: Buffer): string => bytes.toString('latin1');

/** Objects of a PDF file as a browser prints it: sequential, with compressed streams. */
function objectsOf(file: Buffer): Map<string, { head: string; stream: () => string }> {
  const whole = latin(file);
  const found = [...whole.matchAll(/(?:^|\n)(\d+) 0 obj\s([^]*?)\sendobj/g)];
  return new Map(
    found.map((match) => {
      const [, number = '', body = ''] = match;
      const [head = '', packed] = body.split(/\sstream\r?\n/, 2);
      const stream = () => (packed === undefined ? '' : latin(inflateSync(Buffer.from(packed, 'latin1'))));
      return [number, { head, stream }] as const;
    }),
  );
}

const fromHex = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le');

interface Font {
  /** Number of hexadecimal digits of one glyph in a text. */
  hexDigits: number;
  letters: Map<number, string>;
}

/** The characters of the glyphs of a font. */
function lettersOf(table: string): Map<number, string> {
  const letters = new Map<number, string>();
  for (const [, part = ''] of table.matchAll(/beginbfchar([^]*?)endbfchar/g))
    for (const [, glyph = '', hex = ''] of part.matchAll(/<(\w+)> <(\w+)>/g)) letters.set(Number.parseInt(glyph, 16), fromHex(hex));
  for (const [, part = ''] of table.matchAll(/beginbfrange([^]*?)endbfrange/g))
    for (const [, from = '', to = '', hex = ''] of part.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let glyph = Number.parseInt(from, 16), at = 0; glyph <= Number.parseInt(to, 16); glyph++, at++)
        letters.set(glyph, fromHex((Number.parseInt(hex, 16) + at).toString(16).padStart(4, '0')));
  return letters;
}

/** The printed sheets of a page. */
export async function printed(page: Page): Promise<Sheet[]> {
  const objects = objectsOf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
  const fonts = new Map<string, Font>();
  const fontOf = (name: string, resources: string): Font => {
    const [, number = ''] = new RegExp(`/${name} (\\d+) 0 R`).exec(resources) ?? [];
    const known = fonts.get(number);
    if (known) return known;
    const { head = '' } = objects.get(number) ?? {};
    const [, table = ''] = /\/ToUnicode (\d+) 0 R/.exec(head) ?? [];
    const font = { hexDigits: head.includes('/Type3') ? 2 : 4, letters: lettersOf(objects.get(table)?.stream() ?? '') };
    fonts.set(number, font);
    return font;
  };
  const sheets = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return sheets.map(({ head }) => {
    const [, width = '', height = ''] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(head) ?? [];
    const [, contents = ''] = /\/Contents (\d+) 0 R/.exec(head) ?? [];
    let current: Font | undefined;
    let text = '';
    for (const [, font, shown] of (objects.get(contents)?.stream() ?? '').matchAll(
      /\/(F\d+) [\d.]+ Tf|((?:<[\dA-F]+>|\[[^\]]*\])\s*TJ?)/g,
    )) {
      if (font !== undefined) current = fontOf(font, head);
      for (const [, hex = ''] of (shown ?? '').matchAll(/<([\dA-F]+)>/g))
        for (let at = 0; current && at < hex.length; at += current.hexDigits)
          text += current.letters.get(Number.parseInt(hex.slice(at, at + current.hexDigits), 16)) ?? '';
    }
    return { widthPt: Number(width), heightPt: Number(height), text: text.replaceAll(/\s/g, '') };
  });
}

/** A landscape sheet of A4 without its margins, in pixels. */
export const PAPER = { width: 1047, height: 695 };

/** Applies the print layout to the page in the window. */
export async function layOutOnPaper(page: Page): Promise<void> {
  await page.setViewportSize(PAPER);
  // The stage follows the window with a delay, and measured elements follow it.
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(PAPER.width);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
}

/** Printed words that are cut by the sheet or by their container. */
export const cutOnPaper = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const sheet = document.documentElement.scrollWidth;
    const clips = ({ overflowX, overflowY }: CSSStyleDeclaration) => overflowX !== 'visible' || overflowY !== 'visible';
    const isInside = (inner: DOMRect, outer: { left: number; right: number; top: number; bottom: number }) =>
      inner.left >= outer.left - 1.5 && inner.right <= outer.right + 1.5 && inner.top >= outer.top - 3 && inner.bottom <= outer.bottom + 3;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const cut: string[] = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!node.textContent?.trim() || !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (parent.closest('.visually-hidden, .leaflet-container, option, style, script')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width < 1) continue;
      let isWhole = isInside(box, { left: 0, right: sheet, top: -Infinity, bottom: Infinity });
      for (let around: HTMLElement | null = parent; around && around !== document.body; around = around.parentElement)
        if (clips(getComputedStyle(around))) isWhole &&= isInside(box, around.getBoundingClientRect());
      if (!isWhole) cut.push(node.textContent.trim().slice(0, 60));
    }
    return cut;
  });
