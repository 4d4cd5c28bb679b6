import type { Plugin } from 'vite';

/** What of a route only the server reads. The console trusts answers, and a form names the shape that it judges by. */
const SHAPES = new Set(['params', 'query', 'body', 'response']);

/** As much of a syntax tree as is asked about here. */
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

/** The shapes in all calls of `route` below a node, each with its comma. */
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

/** A shape that nobody uses may go: making one has no effect but the shape, which the bundler cannot see in a chain of calls. */
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

/** Names of what is imported, and where they stand. */
const importsIn = (program: Node) =>
  partsOf(program)
    .filter(({ type }) => type === 'ImportDeclaration')
    .map((statement) => ({ statement, names: partsOf(statement).flatMap(({ local }) => (isNode(local) ? [String(local['name'])] : [])) }));

/** Imports that only shapes needed. A bundler would take along what they lead to. */
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
 * Routes as the console needs them: method, path, who may. Their shapes, and what is needed to make them, stay with the server.
 * Tests of the console run with it, too, so that what is built is what is tested.
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
