import { PREVIEW_ROWS, type ImportPreview, type ImportRoutes } from '@hes/contract/transfer/import.ts';
import { splitList } from '@hes/contract/transfer/split-list.ts';
import { call } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';

/** A list that is validated and imported in parts, so that neither client nor server holds a million rows in memory. */
export interface PartsPreview extends ImportPreview {
  /** Ids of the parts, in order. */
  parts: string[];
}

/** Reading or validating the part that begins at this line failed. */
export class PartFailed extends Error {
  readonly line: number;
  constructor(line: number, cause: RequestFailed) {
    super(cause.message, { cause });
    this.line = line;
  }
}

interface Course {
  signal: AbortSignal;
  /** From 0 to 1. */
  onProgress: (share: number) => void;
}

const LINE_END = 0x0a;
const UTF16: Record<string, string> = { '255,254': 'utf-16le', '254,255': 'utf-16be' };

/** Decodes the file in chunks. Throws a TypeError for bytes that are invalid in the encoding. */
async function* textOf(file: Blob, encoding: string, onRead: (octets: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const reader = file.stream().getReader();
  for (let octets = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    octets += value.length;
    onRead(octets);
    yield decoder.decode(value, { stream: true });
  }
  yield decoder.decode();
}

async function encodingOf(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const marked = UTF16[`${first},${second}`];
  if (marked !== undefined) return marked;
  try {
    for await (const _ of textOf(file, 'utf-8', () => undefined));
    return 'utf-8';
  } catch {
    return 'gb18030';
  }
}

function merged(sum: PartsPreview | undefined, part: ImportPreview): PartsPreview {
  if (sum === undefined) return { ...part, parts: [part.id] };
  const rows = [...sum.rows, ...part.rows];
  const wrong = rows.filter((row) => row.verdict === 'error').slice(0, PREVIEW_ROWS);
  const right = rows.filter((row) => row.verdict !== 'error').slice(0, PREVIEW_ROWS - wrong.length);
  return {
    ...sum,
    total: sum.total + part.total,
    new: sum.new + part.new,
    update: sum.update + part.update,
    unchanged: sum.unchanged + part.unchanged,
    errors: sum.errors + part.errors,
    rows: [...wrong, ...right],
    parts: [...sum.parts, part.id],
  };
}

/** Validates all parts without changing data. Undefined: the file has no rows. */
export async function judgeInParts(routes: ImportRoutes, file: File, { signal, onProgress }: Course): Promise<PartsPreview | undefined> {
  let sum: PartsPreview | undefined;
  let octets = 0;
  const text = textOf(file, await encodingOf(file), (read) => (octets = read));
  for await (const { text: part, firstLine } of splitList(text)) {
    const answer = await call(routes.preview, { query: { name: file.name, firstLine }, body: new TextEncoder().encode(part), signal });
    if (!answer.ok) throw new PartFailed(firstLine, new RequestFailed(answer.error));
    sum = merged(sum, answer.data);
    onProgress(octets / file.size);
  }
  return sum;
}

/** Imports the parts in order. An abort takes effect after the current part. */
export async function commitInParts(routes: ImportRoutes, preview: PartsPreview, { signal, onProgress }: Course): Promise<PartsPreview> {
  let sum: PartsPreview | undefined;
  for (const [at, id] of preview.parts.entries()) {
    if (signal.aborted) break;
    const answer = await call(routes.commit, { params: { id } });
    // A part without valid rows, or imported before, does not fail the others.
    if (answer.ok) sum = merged(sum, answer.data);
    else if (answer.error.code !== 'NOTHING_TO_DO') throw new RequestFailed(answer.error);
    onProgress((at + 1) / preview.parts.length);
  }
  const { total, unchanged, parts } = preview;
  const left = total - unchanged - (sum?.new ?? 0) - (sum?.update ?? 0);
  return { ...(sum ?? { ...preview, new: 0, update: 0 }), total, unchanged, errors: left, parts, isDone: true };
}

/** Concatenates the result files of all parts. */
export async function resultOfParts(routes: ImportRoutes, { parts, fileName }: PartsPreview): Promise<File> {
  const pieces: Blob[] = [];
  for (const id of parts) {
    const answer = await call(routes.result, { params: { id } });
    if (!answer.ok) throw new RequestFailed(answer.error);
    const { content } = answer.data as unknown as { content: Blob }; // as: what the client makes of a file
    const begin = new Uint8Array(await content.slice(0, 4096).arrayBuffer());
    // Only the first part keeps its header line.
    const skipped = pieces.length === 0 ? 0 : begin.indexOf(LINE_END) + 1;
    pieces.push(content.slice(skipped));
  }
  return new File(pieces, `${fileName.replace(/\.\w+$/, '')}-result.csv`, { type: 'text/csv' });
}
