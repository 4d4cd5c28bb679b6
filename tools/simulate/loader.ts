import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { relative, resolve } from 'node:path';
import type { Mutant } from './mutants.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STAND_INS: Record<string, string> = {
  'apps/server/src/storage/thread/store-thread.ts': 'stand-ins/store-thread.ts',
  'apps/server/src/storage/events/event-writer.ts': 'stand-ins/event-writer.ts',
};
const OURS = /^(apps|packages)\//;
/** A module variable, which survives every object: `let count = 0;` in one line. */
const MODULE_VARIABLE = /^let (\w+)(?:: [^=\n]+)? = (.+);$/gm;
const UNSET_VARIABLE = /^let (\w+)(?:: [^=\n]+)?;$/gm;

/** Resets a module variable to its value at load time. */
interface ModuleVariable {
  path: string;
  reset: () => void;
}

const variables: ModuleVariable[] = [];
Object.assign(globalThis, { moduleVariables: variables });

/** Resets module variables, as a new process would: the simulation loads modules once for all seeds. */
export function resetModules(isMeant: (path: string) => boolean): void {
  for (const { path, reset } of variables) if (isMeant(path)) reset();
}

function withReset(source: string, path: string): string {
  const resets = [
    ...[...source.matchAll(MODULE_VARIABLE)].map(([, name, value]) => `${name} = ${value};`),
    ...[...source.matchAll(UNSET_VARIABLE)].map(([, name]) => `${name} = undefined as never;`),
  ];
  if (resets.length === 0) return source;
  const reset = `{ path: ${JSON.stringify(path)}, reset() { ${resets.join(' ')} } }`;
  return `${source}\n(globalThis as unknown as { moduleVariables: unknown[] }).moduleVariables.push(${reset});\n`;
}

function mutated(source: string, path: string, mutant: Mutant | undefined): string {
  if (mutant?.file !== path) return source;
  return mutant.edits.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${mutant.name}: "${from}" stands ${parts.length - 1} times in ${path}`);
    return parts.join(to);
  }, source);
}

/**
 * Loads the unchanged product with two exceptions: parts outside of a seed's control have a stand-in, and a mutant may be
 * planted. Module variables can be reset.
 */
export function hookModules(mutant: Mutant | undefined): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      if (!found.url.startsWith('file:')) return found;
      const standIn = STAND_INS[pathOf(found.url)];
      return standIn === undefined ? found : { ...found, url: pathToFileURL(resolve(import.meta.dirname, standIn)).href };
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const path = url.startsWith('file:') ? pathOf(url) : '';
      // A mutant may be in the model of the database, too.
      const isOurs = OURS.test(path) || path === mutant?.file;
      if (!isOurs || loaded.source === undefined || loaded.source === null) return loaded;
      const text = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString(); // as: octets of a file
      return { ...loaded, source: withReset(mutated(text, path, mutant), path) };
    },
  });
}

const pathOf = (url: string): string => relative(ROOT, fileURLToPath(url)).replaceAll('\\', '/');
