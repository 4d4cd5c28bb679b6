import type { Plugin } from 'vite';

/** Properties of a route that only the server reads: the console trusts responses, and its forms import the schemas they need. */
const SHAPES = new Set(['params', 'query', 'body', 'response']);

/** The part of a syntax tree that is used here. */
interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}
interface Change {
  start: number;
  end: number;
  text: string;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const isCallOf = (node: Node, name: string): boolean =>
  node.type === 'CallExpression' && isNode(node['callee']) && node['callee']['name'] === name;
const keyOf = ({ key }: Node): unknown => (isNode(key) ? key['name'] : undefined);

/** The schemas in all calls of `route` below a node, each with its trailing comma. */
function shapesIn(node: Node, code: string): Change[] {
  const own = isCallOf(node, 'route')
    ? partsOf(node)
        .filter(({ type }) => type === 'ObjectExpression')
        .flatMap(partsOf)
        .filter((property) => SHAPES.has(String(keyOf(property))))
        .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0), text: '' }))
    : [];
  return [...own, ...partsOf(node).flatMap((part) => shapesIn(part, code))];
}

/** Marks schemas as free of side effects, so that the bundler removes unused ones: it cannot infer that from a chain of calls. */
const asPure = (program: Node): Change[] =>
  partsOf(program)
    .map((statement) => (isNode(statement['declaration']) ? statement['declaration'] : statement))
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap(partsOf)
    .flatMap(({ init }) => (isNode(init) && init.type === 'CallExpression' ? [init] : []))
    .flatMap(({ start, end }) => [
      { start, end: start, text: '/* @__PURE__ */ (() => (' },
      { start: end, end, text: '))()' },
    ]);

/** The imported names with their import statements. */
const importsIn = (program: Node) =>
  partsOf(program)
    .filter(({ type }) => type === 'ImportDeclaration')
    .map((statement) => ({ statement, names: partsOf(statement).flatMap(({ local }) => (isNode(local) ? [String(local['name'])] : [])) }));

/** Imports that only the removed schemas used; the bundler would include their modules. */
function idleImports(program: Node, code: string, shapes: Change[]): Change[] {
  const imports = importsIn(program);
  const gone = imports.map(({ statement: { start, end } }) => ({ start, end, text: '' }));
  const rest = applied(code, [...shapes, ...gone]);
  return gone.filter((_, at) => imports[at]?.names.every((name) => !new RegExp(`\\b${name}\\b`).test(rest)));
}

const applied = (code: string, changes: Change[]): string =>
  changes
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);

/**
 * Reduces routes to the properties that the console needs: method, path, permission. Schemas and their imports are removed. The tests
 * of the console use this plugin too, so that they run the code that is built.
 */
export const routesWithoutShapes: Plugin = {
  name: 'routes-without-shapes',
  transform: {
    filter: { id: /packages[\\/]contract[\\/]src[\\/].*\.ts$/ },
    handler(code) {
      const program = this.parse(code, { lang: 'ts' }) as unknown as Node; // as: a tree is made of such nodes
      const shapes = shapesIn(program, code);
      return { code: applied(code, [...shapes, ...idleImports(program, code, shapes), ...asPure(program)]), map: null };
    },
  },
};
