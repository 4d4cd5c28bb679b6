import { parseSync, Visitor, type Function as FunctionNode, type ArrowFunctionExpression, type Node } from 'oxc-parser';

export interface Text {
  line: number;
  text: string;
}

export interface FunctionSize {
  line: number;
  lines: number;
  /** Deepest nesting of statements with a block in it: 0 without any. */
  nesting: number;
  /** The source without white space, which equal functions share. */
  body: string;
}

export interface SourceMeasures {
  lines: number;
  comments: Text[];
  /** Literals that people read: those with two blanks or more. */
  texts: Text[];
  functions: FunctionSize[];
  anys: number;
  casts: number;
}

const LOWER_LIMIT_OF_A_TEXT = 2;
const BLOCKS = new Set([
  'IfStatement',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
]);

/** Sizes, comments and liberties of one TypeScript file. Throws if it cannot be parsed. */
export function readSource(file: string, source: string): SourceMeasures {
  const { program, comments, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const measures: SourceMeasures = { lines: lineOf(source, source.length), comments: [], texts: [], functions: [], anys: 0, casts: 0 };
  measures.comments = joinLines(source, comments);

  const measureFunction = (node: FunctionNode | ArrowFunctionExpression) => {
    const text = source.slice(node.start, node.end);
    measures.functions.push({
      line: lineOf(source, node.start),
      lines: text.split('\n').length,
      nesting: node.body ? nestingOf(node.body) : 0,
      body: text.replaceAll(/\s+/g, ' '),
    });
  };
  const keepText = (start: number, text: string) => {
    if (text.split(' ').length > LOWER_LIMIT_OF_A_TEXT) measures.texts.push({ line: lineOf(source, start), text });
  };
  new Visitor({
    FunctionDeclaration: measureFunction,
    FunctionExpression: measureFunction,
    ArrowFunctionExpression: measureFunction,
    TSAnyKeyword: () => void measures.anys++,
    TSAsExpression(node) {
      if (source.slice(node.typeAnnotation.start, node.typeAnnotation.end) !== 'const') measures.casts++;
    },
    Literal(node) {
      if (typeof node.value === 'string') keepText(node.start, node.value);
    },
    TemplateElement: (node) => keepText(node.start, node.value.raw),
  }).visit(program);
  return measures;
}

const DIRECTIVE = /^(?:oxlint|eslint|@|v8 |c8 )/;

/** Consecutive line comments are one comment. Directives of tools and single words are none. */
function joinLines(source: string, comments: readonly { type: string; value: string; start: number; end: number }[]): Text[] {
  const joined: (Text & { end: number; type: string })[] = [];
  for (const { type, value, start, end } of comments) {
    const text = value
      .replaceAll(/^\s*\*+ ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (DIRECTIVE.test(text)) continue;
    const before = joined.at(-1);
    if (before?.type === 'Line' && type === 'Line' && /^\r?\n[ \t]*$/.test(source.slice(before.end, start))) {
      before.text += ` ${text}`;
      before.end = end;
    } else joined.push({ line: lineOf(source, start), text, end, type });
  }
  return joined.filter(({ text }) => text.includes(' ')).map(({ line, text }) => ({ line, text }));
}

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

function nestingOf(node: Node): number {
  let deepest = 0;
  const walk = (part: unknown, depth: number): void => {
    if (Array.isArray(part)) {
      for (const entry of part) walk(entry, depth);
      return;
    }
    if (typeof part !== 'object' || part === null || !('type' in part)) return;
    if (/Function/.test(String(part.type))) return;
    const inside = BLOCKS.has(String(part.type)) ? depth + 1 : depth;
    deepest = Math.max(deepest, inside);
    for (const child of Object.values(part)) walk(child, inside);
  };
  walk(node, 0);
  return deepest;
}
