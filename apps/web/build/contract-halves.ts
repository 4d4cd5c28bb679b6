import { readFileSync } from 'node:fs';
import path from 'node:path';
import { applied, isNode, namesIn, nameOf, parse, partsOf, type Node } from './contract-syntax.ts';
import { withoutShapes } from './routes-without-shapes.ts';

/** A statement that declares values, and the names that it reads. */
interface Declaration {
  text: string;
  declares: readonly string[];
  reads: ReadonlySet<string>;
}
/** An imported name: its own name, and the source as written. */
interface Imported {
  name: string;
  from: string;
}
export interface Halves {
  plain: readonly Declaration[];
  /** Declarations that need the schema library, directly or through others. */
  schemas: readonly Declaration[];
  imports: ReadonlyMap<string, Imported>;
}

const LIBRARY = 'zod';
const known = new Map<string, Halves>();

/** The statements of a module of the contract, divided by whether they need the schema library. Types are left out. */
export function halvesOf(file: string): Halves {
  const halves = known.get(file) ?? divide(file);
  known.set(file, halves);
  return halves;
}

/** Forgets all modules, because one of them was edited. */
export const forgetHalves = (): void => known.clear();

export const namesOf = (declarations: readonly Declaration[]): string[] => declarations.flatMap(({ declares }) => declares);

function divide(file: string): Halves {
  const code = withoutShapes(readFileSync(file, 'utf8'));
  const statements = partsOf(parse(code));
  const imports = new Map(statements.flatMap(importedBy));
  const declarations = statements.flatMap((statement) => declarationOf(statement, code));
  const schemas = reading(new Set([...imports].filter(([, imported]) => isSchema(imported, file)).map(([name]) => name)), declarations);
  return { plain: declarations.filter((declaration) => !schemas.includes(declaration)), schemas, imports };
}

/** The declarations that read some names, directly or through each other. */
function reading(names: ReadonlySet<string>, declarations: readonly Declaration[]): readonly Declaration[] {
  const found = declarations.filter(({ reads }) => [...reads].some((name) => names.has(name)));
  const grown = new Set([...names, ...namesOf(found)]);
  return grown.size === names.size ? found : reading(grown, declarations);
}

function isSchema({ name, from }: Imported, file: string): boolean {
  if (from === LIBRARY) return true;
  return from.startsWith('.') && namesOf(halvesOf(path.resolve(path.dirname(file), from)).schemas).includes(name);
}

function importedBy(statement: Node): [string, Imported][] {
  const { source, importKind } = statement;
  if (statement.type !== 'ImportDeclaration' || importKind === 'type' || !isNode(source)) return [];
  return partsOf(statement)
    .filter(({ type, importKind: kind }) => type === 'ImportSpecifier' && kind !== 'type')
    .map(({ local, imported }) => [nameOf(local), { name: nameOf(imported), from: String(source['value']) }]);
}

function declarationOf(statement: Node, code: string): Declaration[] {
  const inner = isNode(statement['declaration']) ? statement['declaration'] : statement;
  if (statement.type === 'ImportDeclaration' || inner.type.startsWith('TS')) return [];
  const declarators = inner.type === 'VariableDeclaration' ? partsOf(inner) : [inner];
  const declares = declarators.map(({ id }) => nameOf(id)).filter((name) => name !== '');
  return [{ text: pure(inner, code), declares, reads: new Set(partsOf(inner).flatMap(namesIn)) }];
}

const CALLS = new Set(['CallExpression', 'NewExpression']);
/** Whether a value is computed when its module loads. */
const isComputed = (node: Node): boolean => CALLS.has(node.type) || (!/Function/.test(node.type) && partsOf(node).some(isComputed));

/** Marks computed values as free of side effects, so that the bundler removes unused ones: it cannot infer that from a chain of calls. */
function pure(declaration: Node, code: string): string {
  const { start: from, end: to } = declaration;
  const computed = partsOf(declaration).flatMap(({ init }) => (isNode(init) && isComputed(init) ? [init] : []));
  const marks = computed.flatMap(({ start, end }) => [
    { start: start - from, end: start - from, text: '/* @__PURE__ */ (() => (' },
    { start: end - from, end: end - from, text: '))()' },
  ]);
  return applied(code.slice(from, to), marks);
}
