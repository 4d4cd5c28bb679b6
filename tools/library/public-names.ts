import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { LIBRARY, packageOf, ROOT, sourceOf } from './packages.ts';

/** A name where it is declared. */
export interface Origin {
  file: string;
  name: string;
}

interface ExportOf extends Origin {
  exported: string;
}

const originKey = ({ file, name }: Origin): string => `${file}#${name}`;

const parsed = new Map<string, readonly ExportOf[]>();

/** The exports of a source file, each with the place of its declaration. */
export function exportsOf(file: string): readonly ExportOf[] {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const { module, errors } = parseSync(file, readFileSync(path.join(ROOT, file), 'utf8'));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap((entry): ExportOf[] => {
      const from = entry.moduleRequest === null ? undefined : sourceOf(file, entry.moduleRequest.value);
      if (from === undefined)
        return entry.exportName.name === null ? [] : [{ exported: entry.exportName.name, file, name: entry.exportName.name }];
      // `export *` gives no name.
      if (entry.exportName.name === null) return [...exportsOf(from)];
      return [{ exported: entry.exportName.name, ...originOf(from, entry.importName.name ?? '') }];
    }),
  );
  parsed.set(file, found);
  return found;
}

/** Where the name that a file exports is declared. */
export function originOf(file: string, name: string): Origin {
  const found = exportsOf(file).find(({ exported }) => exported === name);
  if (found === undefined) throw new Error(`${file} exports no ${name}`);
  return { file: found.file, name: found.name };
}

/** The specifier of the entry that exports a declaration under its own name, in the order of the exports maps. */
function entriesByOrigin(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, sources, entries } of LIBRARY)
    for (const [entry, file] of Object.entries(entries))
      for (const { exported, ...origin } of exportsOf(`${sources}/${file}`)) {
        const key = originKey(origin);
        if (exported === origin.name && !found.has(key)) found.set(key, name + entry.slice(1));
      }
  return found;
}

/** The entries of all packages. Names that none of them exports, but another package needs, go to the entry `internal`. */
export class PublicNames {
  readonly #entries = entriesByOrigin();
  readonly #internal = new Map<string, Origin[]>();

  /** The specifier under which another package imports this declaration. */
  specifierOf(origin: Origin): string {
    const entry = this.#entries.get(originKey(origin));
    if (entry !== undefined) return entry;
    const { name } = packageOf(origin.file);
    const needed = this.#internal.get(name) ?? [];
    if (!needed.some((one) => originKey(one) === originKey(origin))) needed.push(origin);
    this.#internal.set(name, needed);
    return `${name}/internal`;
  }

  /** The declarations that the entry `internal` of a package exports. */
  internalOf(name: string): readonly Origin[] {
    return (this.#internal.get(name) ?? []).toSorted((a, b) => originKey(a).localeCompare(originKey(b)));
  }
}
