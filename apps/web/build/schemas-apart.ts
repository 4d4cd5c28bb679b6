import path from 'node:path';
import type { Plugin } from 'vite';
import { forgetHalves, halvesOf, namesOf, type Halves } from './contract-halves.ts';

/** Suffix of the module id of the schemas of a module of the contract. */
export const SCHEMAS = '?schemas';
const PLAIN = '?plain';
const OF_CONTRACT = /packages[\\/]contract[\\/]src[\\/].*\.ts(?:\?plain|\?schemas)?$/;

/** The import statements for the names that some declarations read. */
function importsFor(declarations: Halves['plain'], imports: Halves['imports']): string[] {
  const read = new Set(declarations.flatMap(({ reads }) => [...reads]));
  return [...imports]
    .filter(([name]) => read.has(name))
    .map(([name, imported]) => `import { ${imported.name} as ${name} } from ${JSON.stringify(imported.from)};`);
}

function half(file: string, suffix: string): string {
  const { plain, schemas, imports } = halvesOf(file);
  const own = suffix === SCHEMAS ? schemas : plain;
  const sibling = `./${path.basename(file)}${PLAIN}`;
  const siblings = new Map(suffix === SCHEMAS ? namesOf(plain).map((name) => [name, { name, from: sibling }]) : []);
  const statements = own.map(({ text, declares }) => (declares.length === 0 ? text : `export ${text}`));
  return [...importsFor(own, imports), ...importsFor(own, siblings), ...statements].join('\n');
}

function whole(file: string): string {
  const { schemas } = halvesOf(file);
  if (schemas.length === 0) return half(file, PLAIN);
  return [PLAIN, SCHEMAS].map((suffix) => `export * from './${path.basename(file)}${suffix}';`).join('\n');
}

/**
 * Divides each module of the contract into its schemas and the rest, so that a page loads the schema library only for the schemas that it
 * uses. The tests of the console use this plugin too, so that they run the code that is built.
 */
export const schemasApart: Plugin = {
  name: 'schemas-apart',
  enforce: 'pre',
  watchChange: forgetHalves,
  load: {
    filter: { id: OF_CONTRACT },
    handler(id) {
      const [file = id, suffix] = id.split('?');
      return { code: suffix === undefined ? whole(file) : half(file, `?${suffix}`), map: null, moduleType: 'ts' };
    },
  },
};
