import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { LIBRARY, packageOf, relativeImport, ROOT, sourceOf, VERSION, type LibraryPackage } from './packages.ts';
import { PublicNames, type Origin } from './public-names.ts';
import { rewriteImports } from './rewrite-imports.ts';

/** Folder of the compiler's output, and of one folder for each package. */
const OUT = path.join(ROOT, '.cache/library');
const STAGED = path.join(OUT, 'staged');
const EMITTED = path.join(OUT, 'emitted');

/** The folder in which a package is ready to be packed. */
export const folderOf = ({ name }: Pick<LibraryPackage, 'name'>): string => path.join(OUT, 'packages', name);

/** Copies the sources with relative imports: the compiler rewrites the extension of no other import. */
function stage(): void {
  for (const folder of new Set(LIBRARY.map(({ sources }) => sources)))
    for (const name of readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const source = path.posix.join(folder, name.replaceAll(path.sep, '/'));
      const text = readFileSync(path.join(ROOT, source), 'utf8');
      const target = path.join(STAGED, source);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(
        target,
        text.replaceAll(/(?<=')@hes\/[^']+(?=')/g, (specifier) => relativeImport(source, sourceOf(source, specifier) ?? specifier)),
      );
    }
}

/** Compiles the sources of all packages together. Fails with the output of the compiler. */
async function compile(): Promise<void> {
  stage();
  const compilerOptions = {
    types: ['node'],
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    sourceMap: true,
    inlineSources: true,
    rootDir: STAGED,
    outDir: EMITTED,
  };
  const config = path.join(OUT, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ extends: path.join(ROOT, 'tsconfig.base.json'), compilerOptions, include: [STAGED] }));
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]).catch(
    (error: { stdout?: string }) => {
      throw new Error(`The library does not compile:\n${error.stdout ?? String(error)}`);
    },
  );
}

const EMISSIONS = ['.js', '.d.ts'] as const;
type Emission = (typeof EMISSIONS)[number];

const emittedPath = (source: string, emission: Emission | '.js.map'): string => path.join(EMITTED, source.replace(/\.ts$/, emission));

const inPackage = ({ sources }: LibraryPackage, source: string): string => path.posix.relative(sources, source);

/** Writes a module and all that it imports within its package. */
function writeModules(from: string, names: PublicNames, written: Set<string>): void {
  if (written.has(from)) return;
  written.add(from);
  const home = packageOf(from);
  const target = path.join(folderOf(home), 'dist', inPackage(home, from)).replace(/\.ts$/, '');
  mkdirSync(path.dirname(target), { recursive: true });
  for (const emission of EMISSIONS) {
    const file = emittedPath(from, emission);
    const { text, own } = rewriteImports(from, { name: file, text: readFileSync(file, 'utf8') }, names);
    writeFileSync(target + emission, text);
    for (const source of own) writeModules(source, names, written);
  }
  const map = JSON.parse(readFileSync(emittedPath(from, '.js.map'), 'utf8')) as object; // as: a source map is an object
  // The sources are inside the map: the name only says which file it was.
  writeFileSync(`${target}.js.map`, JSON.stringify({ ...map, sourceRoot: '', sources: [`${home.name}/${inPackage(home, from)}`] }));
}

/** The entry with the names that only the other packages of the library need. */
function writeInternal(one: LibraryPackage, origins: readonly Origin[], names: PublicNames, written: Set<string>): void {
  const lines = { '.js': [] as string[], '.d.ts': [] as string[] };
  for (const { file, name } of origins) {
    writeModules(file, names, written);
    const line = `export { ${name} } from './${inPackage(one, file).replace(/\.ts$/, '.js')}';`;
    lines['.d.ts'].push(line);
    if (isValue(file, name)) lines['.js'].push(line);
  }
  for (const emission of EMISSIONS) writeFileSync(path.join(folderOf(one), `dist/internal${emission}`), `${lines[emission].join('\n')}\n`);
}

/** Whether a name exists at run time: the compiler leaves types out. */
const isValue = (file: string, name: string): boolean =>
  new RegExp(String.raw`^export (?:const|let|function\*?|async function|class) ${name}\b`, 'm').test(
    readFileSync(emittedPath(file, '.js'), 'utf8'),
  );

const conditions = (file: string) => {
  const stem = `./dist/${file.replace(/\.ts$/, '')}`;
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
};

/** Packages of the library that the written modules import. */
function dependenciesOf(one: LibraryPackage, written: ReadonlySet<string>): Record<string, string> {
  const texts = [...written].filter((source) => packageOf(source) === one).map((source) => readFileSync(path.join(ROOT, source), 'utf8'));
  const others = LIBRARY.filter((other) => other !== one);
  const imports = (other: LibraryPackage) =>
    texts.some((text) => text.includes(`'@hes/${other.name}/`) || (one.sources.startsWith(`${other.sources}/`) && text.includes(`'../`)));
  // Exact: the entry `internal` may change with every version.
  return Object.fromEntries(others.filter(imports).map(({ name }) => [name, VERSION]));
}

function manifestOf(one: LibraryPackage, written: ReadonlySet<string>, hasInternal: boolean): object {
  const { name, description, keywords, entries, bin, node } = one;
  const all: Record<string, string> = { ...entries, ...(hasInternal ? { './internal': 'internal.ts' } : {}) };
  return {
    name,
    version: VERSION,
    description,
    keywords,
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: bin === undefined ? false : undefined,
    exports: {
      ...Object.fromEntries(Object.entries(all).map(([entry, file]) => [entry, conditions(file)])),
      './package.json': './package.json',
    },
    bin: bin && Object.fromEntries(Object.entries(bin).map(([program, file]) => [program, `dist/${file.replace(/\.ts$/, '.js')}`])),
    files: ['dist', 'CHANGELOG.md'],
    engines: { node: node ?? '>=20' },
    dependencies: dependenciesOf(one, written),
    ...(name === 'dlms-node'
      ? { peerDependencies: { '@types/node': '>=20' }, peerDependenciesMeta: { '@types/node': { optional: true } } }
      : {}),
  };
}

/** Builds all packages from the sources; returns their folders in the order of their dependencies. */
export async function buildLibrary(): Promise<string[]> {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  await compile();
  const names = new PublicNames();
  const written = new Set<string>();
  for (const { sources, entries, bin } of LIBRARY)
    for (const file of [...Object.values(entries), ...Object.values(bin ?? {})]) writeModules(`${sources}/${file}`, names, written);
  // Packages later in the list import earlier ones: what they need is complete only now.
  for (const one of LIBRARY.toReversed()) {
    const internal = names.internalOf(one.name);
    if (internal.length > 0) writeInternal(one, internal, names, written);
  }
  for (const one of LIBRARY) {
    const folder = folderOf(one);
    const manifest = manifestOf(one, written, names.internalOf(one.name).length > 0);
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
    for (const document of ['README.md', 'CHANGELOG.md']) {
      const file = path.join(ROOT, one.documents, document);
      if (!existsSync(file)) throw new Error(`${one.documents}/${document} is missing`);
      cpSync(file, path.join(folder, document));
    }
  }
  return LIBRARY.map(folderOf);
}
