import { parseAst } from 'vite';

/** The part of a syntax tree that is used here. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}
export interface Change {
  start: number;
  end: number;
  text: string;
}

export const parse = (code: string): Node => parseAst(code, { lang: 'ts' }) as unknown as Node; // as: a tree is made of such nodes
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
export const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
export const nameOf = (node: unknown): string => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

export const applied = (code: string, changes: readonly Change[]): string =>
  changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);

/** Expressions around a value that only the compiler reads. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSInstantiationExpression']);

/** Names that a piece of code reads, without those of types, properties and members. A local name counts as well. */
export function namesIn(node: Node): string[] {
  if (TYPED.has(node.type)) return isNode(node['expression']) ? namesIn(node['expression']) : [];
  if (node.type.startsWith('TS')) return [];
  if (node.type === 'Identifier') return [nameOf(node)];
  const isLabelled = (node.type === 'Property' || node.type === 'MemberExpression') && node['computed'] !== true;
  const label = isLabelled ? node[node.type === 'Property' ? 'key' : 'property'] : undefined;
  return partsOf(node)
    .filter((part) => part !== label)
    .flatMap(namesIn);
}
