/** A page of text and lines as PDF 1.4. Letters come from the reader's own fonts: nothing is embedded, and a file has some kilobytes. */

interface TextAt {
  x: number;
  /** From the top of the page. */
  y: number;
  size: number;
  text: string;
  /** `x` is where the text ends. */
  isRight?: boolean;
  isGrey?: boolean;
}

const WIDTH = 595;
const HEIGHT = 842;
const GREY = '0.42 0.45 0.5';

/** Helvetica, which every reader has, from the space to the tilde, in thousandths of the size. */
const LATIN_WIDTHS =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584'
    .split(' ')
    .map(Number);
const LATIN = /[ -~]+|[^ -~]+/g;
/** Chinese is square; what is neither Chinese nor in Helvetica is half as wide. */
const HALF = 500;
const SQUARE = 1000;

/** Text in pieces of one font each. */
const runsOf = (text: string) => [...text.matchAll(LATIN)].map(([run]) => ({ run, isLatin: run <= '\x7f' }));

const widthOf = (text: string, size: number): number => {
  const widths = [...text].map((letter) => {
    const point = letter.codePointAt(0) ?? 0;
    return LATIN_WIDTHS[point - 32] ?? (point < 0x2000 ? HALF : SQUARE);
  });
  return (widths.reduce((sum, width) => sum + width, 0) * size) / 1000;
};

/** UTF-16, big end first, as the encoding `UniGB-UCS2-H` wants it. What lies beyond it becomes a question mark. */
const hexOf = (text: string): string =>
  [...text]
    .map((letter) => letter.codePointAt(0) ?? 63)
    .map((point) => (point > 0xffff ? 63 : point).toString(16).padStart(4, '0'))
    .join('');

const shown = ({ run, isLatin }: { run: string; isLatin: boolean }, size: number): string =>
  isLatin ? `/F2 ${size} Tf (${run.replace(/[\\()]/g, '\\$&')}) Tj` : `/F1 ${size} Tf <${hexOf(run)}> Tj`;

export class PdfPage {
  readonly #marks: string[] = [];

  text({ x, y, size, text, isRight = false, isGrey = false }: TextAt): void {
    const left = isRight ? x - widthOf(text, size) : x;
    const runs = runsOf(text).map((run) => shown(run, size));
    this.#marks.push(`BT ${isGrey ? GREY : '0 0 0'} rg ${left.toFixed(1)} ${(HEIGHT - y).toFixed(1)} Td ${runs.join(' ')} ET`);
  }

  line(x1: number, x2: number, y: number, weight = 0.6): void {
    this.#marks.push(`${weight} w 0.7 0.73 0.78 RG ${x1} ${HEIGHT - y} m ${x2} ${HEIGHT - y} l S`);
  }

  finish(title: string): Buffer {
    const content = this.#marks.join('\n');
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Resources << /Font << /F1 5 0 R /F2 9 0 R >> >> /Contents 4 0 R >>`,
      `<< /Length ${Buffer.byteLength(content)} >>\nstream\n${content}\nendstream`,
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [6 0 R] >>',
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /DW 1000 /W [1 [500] 2 95 500 814 939 500] /FontDescriptor 7 0 R >>',
      '<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>',
      `<< /Title <feff${hexOf(title)}> /Producer (HES) >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ];
    let text = '%PDF-1.4\n';
    const offsets = objects.map((body, index) => {
      const at = text.length;
      text += `${index + 1} 0 obj\n${body}\nendobj\n`;
      return at;
    });
    const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
    const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 8 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
    return Buffer.from(text + end, 'latin1');
  }
}
