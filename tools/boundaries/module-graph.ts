import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

interface Import {
  specifier: string;
  /** A file of the repository, `npm:<package>`, `node:<module>`, or undefined if unresolved. */
  target: string | undefined;
  isTypeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the root of the repository, with forward slashes. */
  file: string;
  text: string;
  imports: Import[];
}

export type ModuleGraph = Map<string, SourceFile>;

const SOURCES = ['packages/**/*.{ts,tsx,mjs}', 'apps/**/*.{ts,tsx,mjs,css}', 'tools/**/*.{ts,mjs}', 'e2e/**/*.ts', '*.ts'];
const BUILTIN = new Set(builtinModules);

/** Every source file of the repository with its imports, resolved like Node and Vite do. */
export function readModules(root: string): ModuleGraph {
  const files = globSync(SOURCES, { cwd: root, exclude: (name) => /(?:^|\/)(?:node_modules|dist|\.cache)$/.test(name) });
  const graph: ModuleGraph = new Map();
  for (const file of files.map((name) => name.split(path.sep).join('/')).toSorted()) {
    const text = readFileSync(path.join(root, file), 'utf8');
    graph.set(file, { file, text, imports: importsOf(root, file, text) });
  }
  return graph;
}

function importsOf(root: string, file: string, text: string): Import[] {
  if (file.endsWith('.css')) return styleImportsOf(root, file, text);
  const parsed = parseSync(file, text);
  const [problem] = parsed.errors;
  if (problem) throw new Error(`${file} cannot be parsed: ${problem.message}`);
  const { staticImports, staticExports, dynamicImports } = parsed.module;

  const found: { specifier: string; isTypeOnly: boolean }[] = [];
  for (const { moduleRequest, entries } of staticImports) {
    found.push({ specifier: moduleRequest.value, isTypeOnly: entries.length > 0 && entries.every((entry) => entry.isType) });
  }
  for (const { entries } of staticExports) {
    for (const entry of entries) if (entry.moduleRequest) found.push({ specifier: entry.moduleRequest.value, isTypeOnly: entry.isType });
  }
  for (const { moduleRequest } of dynamicImports) {
    const literal = /^(['"`])([^'"`$]+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[2]) found.push({ specifier: literal[2], isTypeOnly: false });
  }
  return found.map(({ specifier, isTypeOnly }) => ({ specifier, isTypeOnly, target: resolve(root, file, specifier) }));
}

const styleImportsOf = (root: string, file: string, text: string): Import[] =>
  // A file of a package, such as a font, is an import, too.
  [...text.matchAll(/(?:@import\s+(?:url\()?['"]|url\(['"](?=@))([^'"]+)['"]/g)].map(([, specifier = '']) => ({
    specifier,
    isTypeOnly: false,
    target: resolve(root, file, specifier),
  }));

function resolve(root: string, file: string, specifier: string): string | undefined {
  const bare = specifier.replace(/\?.*$/, '');
  if (bare.startsWith('.')) return existing(root, path.posix.join(path.posix.dirname(file), bare));
  if (bare.startsWith('#')) return existing(root, `${workspaceOf(file) ?? '.'}/src/${bare.slice(1)}`);
  if (bare.startsWith('@hes/')) return existing(root, hesTarget(root, bare));
  if (bare.startsWith('node:') || BUILTIN.has(bare)) return bare.startsWith('node:') ? bare : `node:${bare}`;
  return `npm:${packageOf(bare)}`;
}

/** The folder of the workspace of a file; undefined for the tools and tests at the root. */
export const workspaceOf = (file: string): string | undefined => /^(?:packages|apps)\/[^/]+/.exec(file)?.[0];

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function hesTarget(root: string, specifier: string): string {
  const [, name = '', ...rest] = specifier.split('/');
  const home = existsSync(path.join(root, 'packages', name)) ? 'packages' : 'apps';
  return `${home}/${name}/src/${rest.join('/')}`;
}

const existing = (root: string, target: string): string | undefined => (existsSync(path.join(root, target)) ? target : undefined);
