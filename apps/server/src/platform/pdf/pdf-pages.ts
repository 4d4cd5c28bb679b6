import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export const PAGE = { width: 595, height: 842 } as const;

export interface TextAt {
  x: number;
  /** Of the foot of the letters, from the top of the page. */
  y: number;
  size: number;
  text: string;
  /** `x` is where the text ends. */
  isRight?: boolean;
  isGrey?: boolean;
  /** Longer text is cut and ends with an ellipsis. */
  width?: number;
}

export interface LineAt {
  x1: number;
  x2: number;
  y: number;
  weight: number;
}

/** What stands on the pages, as it goes to the thread. */
export interface Drawing {
  title: string;
  pages: { texts: TextAt[]; lines: LineAt[] }[];
}

// One drawing at a time: a font is some megabytes, and nobody waits for a second statement.
let before: Promise<unknown> = Promise.resolve();

async function draw(drawing: Drawing): Promise<Buffer> {
  const worker = new Worker(new URL('draw.ts', import.meta.url), { workerData: drawing, name: 'hes-pdf' });
  const [octets] = (await once(worker, 'message')) as [Uint8Array]; // as: what draw.ts sends, or `once` throws its error
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}

/** Pages of text and lines, in points from the upper left corner, as PDF. */
export class PdfPages {
  readonly #pages: Drawing['pages'] = [{ texts: [], lines: [] }];

  get #page(): Drawing['pages'][number] {
    const page = this.#pages.at(-1);
    if (page === undefined) throw new Error('There is always a page');
    return page;
  }

  text(text: TextAt): void {
    this.#page.texts.push(text);
  }

  line(x1: number, x2: number, y: number, weight = 0.6): void {
    this.#page.lines.push({ x1, x2, y, weight });
  }

  /** What follows stands on a new page. */
  turn(): void {
    this.#pages.push({ texts: [], lines: [] });
  }

  /** The file, with the letters it needs and no others. They are cut out of the font on a thread that ends with the file. */
  finish(title: string): Promise<Buffer> {
    const drawn = before.then(() => draw({ title, pages: this.#pages }));
    before = drawn.catch(() => undefined);
    return drawn;
  }
}
