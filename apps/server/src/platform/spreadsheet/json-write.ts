import type { Cell } from './csv-write.ts';

const LINES_AT_ONCE = 500;

/** Writes rows as an array of objects, keyed by the column headings. */
export async function* writeJson(rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): AsyncGenerator<Buffer> {
  let head: Cell[] | undefined;
  let text = '[';
  let count = 0;
  for await (const row of rows) {
    if (head === undefined) {
      head = row;
      continue;
    }
    const entries = head.map((title, at) => [String(title), row[at] ?? null]);
    text += `${count === 0 ? '' : ','}\n${JSON.stringify(Object.fromEntries(entries))}`;
    if (++count % LINES_AT_ONCE === 0) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}\n]\n`);
}
