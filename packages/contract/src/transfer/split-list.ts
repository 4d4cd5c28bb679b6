/** Lines per part; a part is validated and imported in one call. */
export const LINES_PER_PART = 10_000;
/** Maximum length of a line, equal to that of the server. */
export const MAX_LINE_CHARACTERS = 131_072;

const QUOTE = 0x22;
const LINE_END = 0x0a;

export interface ListPart {
  /** A complete list of the header and some of the lines. */
  text: string;
  /** Line number of its second line in the whole list. */
  firstLine: number;
}

/** A line exceeds the maximum length. */
export class EndlessLine extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`Line ${line} has no end`);
    this.line = line;
  }
}

/**
 * Splits a list of any length into parts that are imported one by one, with one part in memory at a time. A line break within
 * quotation marks does not end a line; the header is repeated in each part.
 */
export async function* splitList(pieces: AsyncIterable<string>, linesPerPart = LINES_PER_PART): AsyncGenerator<ListPart> {
  let head: string | undefined;
  let lines: string[] = [];
  let firstLine = 2;
  let open = '';
  let isQuoted = false;
  /** Line ends read so far, including those within quotation marks. */
  let lineEnds = 0;
  const part = (): ListPart => ({ text: [head, ...lines].join('\n'), firstLine });
  const take = (line: string): ListPart | undefined => {
    if (head === undefined) {
      head = line;
      firstLine = lineEnds + 1;
      return undefined;
    }
    lines.push(line);
    if (lines.length < linesPerPart) return undefined;
    const full = part();
    lines = [];
    firstLine = lineEnds + 1;
    return full;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const mark = piece.charCodeAt(at);
      if (mark === QUOTE) isQuoted = !isQuoted;
      if (mark !== LINE_END) continue;
      lineEnds++;
      if (isQuoted) continue;
      const full = take(open + piece.slice(from, at));
      if (full) yield full;
      open = '';
      from = at + 1;
    }
    open += piece.slice(from);
    if (open.length > MAX_LINE_CHARACTERS) throw new EndlessLine(lineEnds + 1);
  }
  const last = open === '' ? undefined : take(open);
  if (last) yield last;
  if (lines.length > 0) yield part();
}
