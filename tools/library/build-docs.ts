import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { buildLibrary } from './build-library.ts';
import { npm, runProgram } from './consumer.ts';
import { MissingTool } from './fetch-tools.ts';
import { LIBRARY, ROOT, VERSION } from './packages.ts';
import { provedFigures, withFigures } from './proved-figures.ts';

/** Sources of the site. */
export const DOCS = path.join(ROOT, 'packages/dlms/docs');
const OUT = path.join(ROOT, '.cache/library-docs');
/** The built site. */
export const SITE = path.join(OUT, 'site');
const STAGED = path.join(OUT, 'staged');

/** Pages in the order of the navigation. */
export const PAGES = [
  'decoder',
  'read-a-register',
  'read-a-profile',
  'read-under-keys',
  'keep-the-counter',
  'receive-pushes',
  'hdlc-over-tcp',
  'optical-head',
  'be-a-meter',
  'meter-for-tests',
  'decode-in-a-browser',
  'how-it-was-proved',
] as const;

/** Names of this entry are those of `dlms-node`, too. */
const SHORT_FORM = './meter';

/** Entries of the reference by the name that imports them; their files are relative to the root. */
export const ENTRIES: ReadonlyMap<string, string> = new Map(
  LIBRARY.flatMap(({ name, sources, entries }) =>
    Object.entries(entries)
      .filter(([entry]) => entry !== SHORT_FORM)
      .map(([entry, file]): [string, string] => [name + entry.slice(1), `${sources}/${file}`]),
  ),
);

/** Installs the tools of the site as its lock file says. They have another TypeScript than the repository, and only this needs them. */
async function installTools(): Promise<void> {
  const done = path.join(DOCS, 'node_modules/.package-lock.json');
  const isNew = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8').includes('"node_modules/typedoc"');
  if (isNew(done)) return;
  try {
    // Vite, used in this process before, sets NODE_ENV to production, with which npm leaves these tools out.
    await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'], DOCS);
  } catch (error) {
    throw new MissingTool('TypeDoc cannot be installed', { cause: error });
  }
}

/** Copies pages and programs, and fills in the figures. */
function stagePages(): void {
  rmSync(OUT, { recursive: true, force: true });
  for (const folder of ['recipes', 'decoder']) cpSync(path.join(DOCS, folder), path.join(STAGED, folder), { recursive: true });
  mkdirSync(path.join(STAGED, 'pages'));
  const figures = provedFigures();
  for (const name of readdirSync(path.join(DOCS, 'pages')))
    writeFileSync(path.join(STAGED, 'pages', name), withFigures(readFileSync(path.join(DOCS, 'pages', name), 'utf8'), figures));
}

/** Options of TypeDoc. */
const options = (): object => ({
  name: 'DLMS/COSEM for TypeScript',
  entryPoints: [...ENTRIES.values()].map((entry) => path.join(ROOT, entry)),
  tsconfig: path.join(DOCS, 'tsconfig.json'),
  readme: path.join(STAGED, 'pages/index.md'),
  projectDocuments: PAGES.map((page) => path.join(STAGED, 'pages', `${page}.md`)),
  out: SITE,
  customCss: path.join(DOCS, 'site.css'),
  basePath: STAGED,
  blockTags: ['@spec', '@module', '@param', '@returns', '@example', '@see'],
  sort: ['documents-first', 'source-order'],
  sortEntryPoints: false,
  groupOrder: ['Documents', 'Recipes', 'Modules', '*'],
  navigation: { includeGroups: false, includeCategories: false, compactFolders: false },
  searchInDocuments: true,
  searchInComments: true,
  disableSources: true,
  includeHierarchySummary: false,
  excludePrivate: true,
  hideGenerator: true,
  includeVersion: false,
  customFooterHtml: `<p>dlms ${VERSION}, Apache-2.0. The site works from a folder and below any path.</p>`,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  treatValidationWarningsAsErrors: true,
  highlightLanguages: ['ts', 'sh', 'json'],
  githubPages: false,
});

async function runTypeDoc(): Promise<void> {
  const config = path.join(OUT, 'typedoc.json');
  writeFileSync(config, JSON.stringify(options()));
  await runProgram(
    process.execPath,
    [path.join(DOCS, 'node_modules/typedoc/bin/typedoc'), '--options', config, '--logLevel', 'Warn'],
    DOCS,
  );
}

/** Bundles the decoder with the built package, as a script without modules: browsers load modules from no folder. */
async function bundleDecoder(library: string): Promise<void> {
  await build({
    root: DOCS,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: [{ find: /^@hes\/dlms\/entry\/(\w+)\.ts$/, replacement: `${library}/dist/entry/$1.js` }] },
    build: {
      target: 'es2022',
      outDir: path.join(SITE, 'assets'),
      emptyOutDir: false,
      lib: { entry: path.join(DOCS, 'decoder/main.ts'), formats: ['iife'], name: 'frameDecoder', fileName: () => 'decoder.js' },
    },
  });
}

/** Builds the site; returns its folder. Fails with `MissingTool` when its tools cannot be had. */
export async function buildDocs(library?: string): Promise<string> {
  await installTools();
  const dlms = library ?? (await buildLibrary())[0] ?? '';
  stagePages();
  await runProgram(process.execPath, [path.join(DOCS, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', DOCS], DOCS);
  await runTypeDoc();
  await bundleDecoder(dlms);
  return SITE;
}
