/** Lines of one part: what is read, judged and written in one go. */
export const LINES_PER_PART = 10_000;
/** Longer than any line of a list; the server says the same. */
export const MAX_LINE_CHARACTERS = 131_072;

const QUOTE = 0x22;
const LINE_END = 0x0a;

export interface ListPart {
  /** The head of the list and some of its lines: a list of its own. */
  text: string;
  /** Where its second line stands in the whole list. */
  firstLine: number;
}

/** Thrown with the line that has no end. */
export class EndlessLine extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`Line ${line} has no end`);
    this.line = line;
  }
}

/**
 * Cuts a list of any length into parts that can be imported one after the other, holding no more than one of them. A line ends
 * where no quotation mark is open; the head is repeated for every part.
 */
export async function* splitList(pieces: AsyncIterable<string>, linesPerPart = LINES_PER_PART): AsyncGenerator<ListPart> {
  let head: string | undefined;
  let lines: string[] = [];
  let firstLine = 2;
  /** Of the line that is being read; a quoted one may go over several lines of the file. */
  let open = '';
  let isQuoted = false;
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
