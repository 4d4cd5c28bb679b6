import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export const PAGE = { width: 595, height: 842 } as const;

export interface TextAt {
  x: number;
  /** Baseline, from the top of the page. */
  y: number;
  size: number;
  text: string;
  /** The text ends at `x`. */
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

/** Content of the pages, as posted to the worker thread. */
export interface Drawing {
  title: string;
  pages: { texts: TextAt[]; lines: LineAt[] }[];
}

// One drawing at a time, because each loads several megabytes of font.
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

  /** Starts a new page. */
  turn(): void {
    this.#pages.push({ texts: [], lines: [] });
  }

  /** Creates the file with a subset of the font, in a worker thread. */
  finish(title: string): Promise<Buffer> {
    const drawn = before.then(() => draw({ title, pages: this.#pages }));
    before = drawn.catch(() => undefined);
    return drawn;
  }
}
