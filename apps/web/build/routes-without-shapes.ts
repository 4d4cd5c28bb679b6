import { applied, isNode, nameOf, parse, partsOf, type Change, type Node } from './contract-syntax.ts';

/**
 * Properties of a declaration that only the server reads: the console trusts responses, and its forms import the schemas they need.
 * Summaries, descriptions and examples are for the reference of the API.
 */
const SERVER_ONLY = new Map([
  ['route', new Set(['params', 'query', 'body', 'response', 'summary', 'v1'])],
  ['defineOrder', new Set(['params'])],
  ['defineCommand', new Set(['params'])],
]);

const serverOnlyIn = (node: Node): ReadonlySet<unknown> | undefined =>
  node.type === 'CallExpression' ? SERVER_ONLY.get(nameOf(node['callee'])) : undefined;

/** Those properties in all declarations below a node, each with its trailing comma. */
function shapesIn(node: Node, code: string): Change[] {
  const gone = serverOnlyIn(node);
  const own = gone
    ? partsOf(node)
        .filter(({ type }) => type === 'ObjectExpression')
        .flatMap(partsOf)
        .filter((property) => gone.has(isNode(property['key']) ? property['key']['name'] : undefined))
        .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0), text: '' }))
    : [];
  return [...own, ...partsOf(node).flatMap((part) => shapesIn(part, code))];
}

/** Reduces routes and orders to what the console needs, such as method, path, permission and words. */
export const withoutShapes = (code: string): string => applied(code, shapesIn(parse(code), code));
