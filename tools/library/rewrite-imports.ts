import { parseSync, Visitor } from 'oxc-parser';
import { packageOf, relativeImport, sourceOf } from './packages.ts';
import { originOf, type PublicNames } from './public-names.ts';

interface Edit {
  start: number;
  end: number;
  text: string;
}

export interface Rewritten {
  text: string;
  /** Source files of the same package that it imports. */
  own: readonly string[];
}

/** Emitted modules name `.js`, declaration files `.ts`. */
const importedBy = (source: string, specifier: string): string | undefined => sourceOf(source, specifier)?.replace(/\.js$/, '.ts');

const quoted = (specifier: string): string => `'${specifier}'`;

/**
 * Rewrites the imports of an emitted module or declaration file. Imports within a package become relative `.js` paths; those of another
 * package name the entry that exports the name. Lines stay where they are, so that source maps remain valid.
 */
export function rewriteImports(source: string, emitted: { name: string; text: string }, names: PublicNames): Rewritten {
  const home = packageOf(source);
  const own = new Set<string>();
  const edits: Edit[] = [];
  const isOwn = (file: string): boolean => packageOf(file) === home;
  const relative = (file: string): string => {
    own.add(file);
    return relativeImport(source, file).replace(/\.ts$/, '.js');
  };
  const { module, program, errors } = parseSync(emitted.name, emitted.text);
  if (errors.length > 0) throw new Error(`${emitted.name}: ${errors[0]?.message}`);

  for (const { start, end, moduleRequest, entries } of module.staticImports) {
    const file = importedBy(source, moduleRequest.value);
    if (file === undefined) continue;
    if (isOwn(file)) edits.push({ start: moduleRequest.start, end: moduleRequest.end, text: quoted(relative(file)) });
    else edits.push({ start, end, text: importsOf(file, entries, /^import\s+type\b/.test(emitted.text.slice(start, end)), names) });
  }
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries.slice(0, 1)) {
      const file = moduleRequest === null ? undefined : importedBy(source, moduleRequest.value);
      if (moduleRequest === null || file === undefined) continue;
      if (!isOwn(file)) throw new Error(`${source} exports again what ${file} has: another package imports it, and does not export it`);
      edits.push({ start: moduleRequest.start, end: moduleRequest.end, text: quoted(relative(file)) });
    }
  new Visitor({
    TSImportType({ source: { value, start, end }, qualifier }) {
      const file = importedBy(source, value);
      if (file === undefined) return;
      const name = qualifier?.type === 'Identifier' ? qualifier.name : '';
      edits.push({ start, end, text: quoted(isOwn(file) ? relative(file) : names.specifierOf(originOf(file, name))) });
    },
  }).visit(program);
  return { text: withEdits(emitted.text, edits), own: [...own] };
}

type Entries = ReturnType<typeof parseSync>['module']['staticImports'][number]['entries'];

/** Import statements, one for each entry that exports some of the names, on one line. */
function importsOf(file: string, entries: Entries, isTypeOnly: boolean, names: PublicNames): string {
  const bySpecifier = new Map<string, string[]>();
  for (const { importName, localName, isType } of entries) {
    if (importName.name === null || importName.name === undefined) throw new Error(`${file} is imported as a namespace`);
    const origin = originOf(file, importName.name);
    const specifier = names.specifierOf(origin);
    const local = origin.name === localName.value ? origin.name : `${origin.name} as ${localName.value}`;
    const some = bySpecifier.get(specifier) ?? [];
    some.push(isType && !isTypeOnly ? `type ${local}` : local);
    bySpecifier.set(specifier, some);
  }
  const keyword = isTypeOnly ? 'import type' : 'import';
  return [...bySpecifier].map(([specifier, some]) => `${keyword} { ${some.join(', ')} } from ${quoted(specifier)};`).join(' ');
}

function withEdits(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start))
    result = result.slice(0, start) + replacement + result.slice(end);
  return result;
}
