/** Worker thread of `PdfPages`: creates the file, posts its octets and exits. */
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';
import { PAGE, type Drawing, type LineAt, type TextAt } from './pdf-pages.ts';

const BLACK = '#000000';
const GREY = '#6b7380';
const RULE = '#b3bac7';

/** A font with Latin and 30,000 Chinese characters, which covers rare names. */
const FONT = fileURLToPath(new URL('../fonts/NotoSansHans-Regular.otf', import.meta.resolve('@embedpdf/fonts-sc')));

function write(document: PDFKit.PDFDocument, { x, y, size, text, isRight = false, isGrey = false, width }: TextAt): void {
  document.fontSize(size).fillColor(isGrey ? GREY : BLACK);
  const shown = width === undefined ? text : cut(document, text, width);
  document.text(shown, isRight ? x - document.widthOfString(shown) : x, y, { lineBreak: false, baseline: 'alphabetic' });
}

function cut(document: PDFKit.PDFDocument, text: string, width: number): string {
  if (document.widthOfString(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && document.widthOfString(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

const rule = (document: PDFKit.PDFDocument, { x1, x2, y, weight }: LineAt) =>
  document.lineWidth(weight).strokeColor(RULE).moveTo(x1, y).lineTo(x2, y).stroke();

function draw({ title, pages }: Drawing): PDFKit.PDFDocument {
  const document = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    font: FONT,
    autoFirstPage: false,
    info: { Title: title, Producer: 'HES', Creator: 'HES' },
  });
  for (const { texts, lines } of pages) {
    document.addPage();
    for (const line of lines) rule(document, line);
    for (const text of texts) write(document, text);
  }
  document.end();
  return document;
}

const pieces: Uint8Array[] = [];
for await (const piece of draw(workerData as Drawing)) pieces.push(piece as Uint8Array); // as: PdfPages starts us; a document is a stream of octets
parentPort?.postMessage(new Uint8Array(Buffer.concat(pieces)));
