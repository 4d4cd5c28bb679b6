/** `npm run stats`: sizes, liberties and language of sources and documents. `--list FOLDER` shows each wording that is not plain English. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { KINDS } from '@hes/contract/orders/every-order.ts';
import { findDialect } from './dialect.ts';
import { readSentences } from './read-document.ts';
import { readSource, type SourceMeasures, type Text } from './read-source.ts';

const root = path.resolve(import.meta.dirname, '../..');
const PARTS = ['packages/dlms', 'packages/dlms-node', 'packages/contract', 'apps/server', 'apps/simulator', 'apps/web', 'tools', 'e2e'];
const DOCUMENTS = ['docs/**/*.md', 'CHANGELOG.md', 'README.md', 'CONTRIBUTING.md'];
/** Written by `npm run golden`, or the list of wordings itself. */
const NOT_MEASURED = /\/db\/tables\.ts$|^tools\/stats\/dialect|^docs\/settings\.md$/;
const SMALLEST_DUPLICATE_LINES = 6;
/** Share of comments that may need decoding, in percent. The list of wordings finds some in plain sentences too. */
const DIALECT_LIMIT = 3;

interface Measured extends SourceMeasures {
  file: string;
}

interface MeasuredDocument {
  file: string;
  lines: number;
  sentences: Text[];
}

const [mode, folder = ''] = process.argv.slice(2);
const measured = sourceFiles().map((file): Measured => ({ file, ...readSource(file, readFileSync(path.join(root, file), 'utf8')) }));
const documents = globSync(DOCUMENTS, { cwd: root })
  .filter((file) => !NOT_MEASURED.test(file))
  .toSorted()
  .map(measureDocument);
if (mode === '--list') listDialect(folder);
else report(mode === '--json');

function measureDocument(file: string): MeasuredDocument {
  const text = readFileSync(path.join(root, file), 'utf8');
  return { file, lines: text.split('\n').length, sentences: readSentences(text) };
}

function sourceFiles(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...PARTS], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !NOT_MEASURED.test(file) && globSync(file, { cwd: root }).length > 0);
}

function listDialect(of: string): void {
  for (const { file, comments, texts } of measured) {
    listWordings(of, file, 'comment', comments);
    listWordings(of, file, 'text', texts);
  }
  for (const { file, sentences } of documents) listWordings(of, file, 'sentence', sentences);
}

function listWordings(of: string, file: string, kind: string, texts: readonly Text[]): void {
  if (!file.startsWith(of)) return;
  for (const { line, text } of texts)
    for (const wording of findDialect(text)) console.log(`${file}:${line} ${kind} ${wording}\n    ${text}`);
}

function report(isJson: boolean): void {
  const say = isJson ? console.error : console.log;
  say('part                files   lines  file p95/max  function p95/max  nesting p95/max  any  as  comments  dialect  texts  dialect');
  for (const part of PARTS)
    sayPart(
      say,
      part,
      measured.filter(({ file }) => file.startsWith(`${part}/`)),
    );
  sayPart(say, 'all', measured);
  sayDocuments(say);
  const duplicates = countDuplicates();
  say(`functions of ${SMALLEST_DUPLICATE_LINES} lines or more that stand twice: ${duplicates}`);
  const product = measured.filter(({ file }) => !isTest(file));
  const figures = {
    dialect: share(measured.flatMap(({ comments }) => comments)),
    fileP95: percentile(
      product.map(({ lines }) => lines),
      0.95,
    ),
    functionP95: percentile(
      product.flatMap(({ functions }) => functions.map(({ lines }) => lines)),
      0.95,
    ),
    unusedExports: countUnusedExports(),
    ordersDeclared: KINDS.length,
    ...measureConsole(product),
  };
  if (figures.dialect > DIALECT_LIMIT) {
    say(`${figures.dialect} % of the comments are not plain English, ${DIALECT_LIMIT} % may be: npm run stats -- --list shows them`);
    process.exitCode = 1;
  }
  console.log(JSON.stringify(figures));
}

/** Sizes of the console's pages; pages with a declared list are also counted apart. */
function measureConsole(product: readonly Measured[]) {
  const console = product.filter(({ file }) => file.startsWith('apps/web/src/'));
  const pages = console.filter(({ file }) => file.endsWith('/page.tsx'));
  const sourceOf = ({ file }: Measured) => readFileSync(path.join(root, file), 'utf8');
  const listPages = pages.filter((page) => sourceOf(page).includes('<ListScreen'));
  return {
    listPages: listPages.length,
    listPagesMax: Math.max(0, ...listPages.map(({ lines }) => lines)),
    pagesP95: percentile(
      pages.map(({ lines }) => lines),
      0.95,
    ),
    asNever: sum(console.map((file) => sourceOf(file).split(/\bas never\b/).length - 1)),
    webLines: sum(console.map(({ lines }) => lines)),
  };
}

function sayPart(say: (line: string) => void, name: string, files: readonly Measured[]): void {
  const product = files.filter(({ file }) => !isTest(file));
  const functions = product.flatMap((file) => file.functions);
  const comments = files.flatMap((file) => file.comments);
  const texts = files.flatMap((file) => file.texts);
  const pair = (values: number[]) => `${percentile(values, 0.95)}/${Math.max(0, ...values)}`;
  const columns = [
    files.length,
    sum(files.map(({ lines }) => lines)),
    pair(product.map(({ lines }) => lines)),
    pair(functions.map(({ lines }) => lines)),
    pair(functions.map(({ nesting }) => nesting)),
    sum(product.map(({ anys }) => anys)),
    sum(product.map(({ casts }) => casts)),
    comments.length,
    `${share(comments)} %`,
    texts.length,
    `${share(texts)} %`,
  ];
  sayRow(say, name, columns);
}

function sayDocuments(say: (line: string) => void): void {
  const sentences = documents.flatMap((document) => document.sentences);
  const lines = sum(documents.map((document) => document.lines));
  sayRow(say, 'documents', [documents.length, lines, ...Array<string>(7).fill('-'), sentences.length, `${share(sentences)} %`]);
}

function sayRow(say: (line: string) => void, name: string, columns: readonly (string | number)[]): void {
  const widths = [6, 8, 14, 18, 17, 5, 5, 10, 9, 7, 9];
  say(name.padEnd(19) + columns.map((value, at) => String(value).padStart(widths[at] ?? 0)).join(''));
}

function countDuplicates(): number {
  const seen = new Map<string, number>();
  for (const { file, functions } of measured) {
    if (isTest(file)) continue;
    for (const { body, lines } of functions) if (lines >= SMALLEST_DUPLICATE_LINES) seen.set(body, (seen.get(body) ?? 0) + 1);
  }
  return [...seen.values()].filter((times) => times > 1).length;
}

/** Exports without an importer, as knip finds them; the packages that are published alone keep theirs. */
function countUnusedExports(): number {
  const { stdout, stderr } = spawnSync('knip', ['--include', 'exports,types', '--reporter', 'json', '--no-progress'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });
  if (!stdout) throw new Error(`knip could not look for exports: ${stderr}`);
  const { issues } = JSON.parse(stdout) as { issues: { exports?: unknown[]; types?: unknown[] }[] };
  return sum(issues.map(({ exports = [], types = [] }) => exports.length + types.length));
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$|\/test\/|^e2e\//.test(file);
}

function share(texts: readonly Text[]): number {
  if (texts.length === 0) return 0;
  return Math.round((1000 * texts.filter(({ text }) => findDialect(text).length > 0).length) / texts.length) / 10;
}

function percentile(values: readonly number[], of: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * of))] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
