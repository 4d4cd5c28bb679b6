import { code128 } from './code-128.ts';

export interface Label {
  sn: string;
  /** Lines below the serial number: type, transformer. */
  lines: string[];
}

const QUIET_MODULES = 10;
const BAR_HEIGHT = 40;

function barcode(document: Document, sn: string): Element {
  const widths = code128(sn) ?? [];
  const total = widths.reduce((sum, width) => sum + width, 0) + 2 * QUIET_MODULES;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${total} ${BAR_HEIGHT}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  let x = QUIET_MODULES;
  for (const [at, width] of widths.entries()) {
    if (at % 2 === 0) {
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      for (const [name, value] of Object.entries({ x, y: 0, width, height: BAR_HEIGHT })) bar.setAttribute(name, String(value));
      svg.append(bar);
    }
    x += width;
  }
  return svg;
}

const STYLE = `@page { size: A4; margin: 10mm } body { margin: 0; display: grid; grid-template-columns: repeat(3, 62mm); gap: 0; font: 9pt sans-serif; color: #000 }
  article { box-sizing: border-box; width: 62mm; height: 30mm; padding: 2.5mm 3mm; overflow: hidden; break-inside: avoid; border: 0.1mm dashed #bbb }
  svg { display: block; width: 100%; height: 12mm } b { display: block; font: 600 11pt monospace; letter-spacing: 0.4mm; text-align: center }
  p { margin: 0; text-align: center; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }`;

/** Prints labels of 62 × 30 mm: serial number as Code 128 barcode and as text. */
export function printLabels(title: string, labels: readonly Label[]): void {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.setAttribute('aria-hidden', 'true');
  frame.style.cssText = 'position:fixed;width:0;height:0;border:0';
  document.body.append(frame);
  const page = frame.contentDocument;
  const view = frame.contentWindow;
  if (!page || !view) return;
  page.title = title;
  // Built from nodes, not from markup: names may contain any characters.
  const style = page.createElement('style');
  style.textContent = STYLE;
  page.head.append(style);
  for (const { sn, lines } of labels) {
    const label = page.createElement('article');
    const number = page.createElement('b');
    number.textContent = sn;
    label.append(barcode(page, sn), number);
    for (const line of lines) label.append(Object.assign(page.createElement('p'), { textContent: line }));
    page.body.append(label);
  }
  view.addEventListener('afterprint', () => frame.remove());
  view.focus();
  view.print();
}
