import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPageHtml } from '../../apps/server/src/http/page-parts.ts';

const BASE = '/hes/';
/** A name that only the schema library has, and that its minified code keeps. */
const SCHEMA_LIBRARY = 'ZodError';
/** Ends a build that hangs; it takes 10 s on an idle machine and minutes beside a full check. */
const BUILT_WITHIN_MS = 600_000;
const root = path.resolve(import.meta.dirname, '../..');

let built = '';
beforeAll(async () => {
  built = mkdtempSync(path.join(tmpdir(), 'hes-first-load-'));
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  // The variable of the test run would select the development build of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [vite, 'build', 'apps/web', '--outDir', built, '--logLevel', 'error'], { cwd: root, env });
}, BUILT_WITHIN_MS);
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Scripts and style sheets that the HTML of a page names, and that the browser loads before the page is drawn. */
function firstFiles(page: string): string[] {
  const html = createPageHtml(built, BASE, readFileSync(path.join(built, 'index.html'), 'utf8'))(`${BASE}${page}`);
  return [...html.matchAll(/(?:src|href)="\/hes\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
}

/** Octets on the wire: the server sends the compressed files. */
const octetsOf = (files: string[]): number => files.reduce((sum, file) => sum + statSync(path.join(built, `${file}.br`)).size, 0);
const hasSchemaLibrary = (file: string): boolean => readFileSync(path.join(built, file), 'utf8').includes(SCHEMA_LIBRARY);

test('the walk finds the schema library where a page has forms', () => {
  expect(firstFiles('assets/dcu').filter(hasSchemaLibrary)).toHaveLength(1);
});

// Measured: 186 and 184 KB. With the schemas of every page they were 210 and 219.
test.each([
  ['login', 195_000],
  ['dashboard', 195_000],
])('the first files of %s are small, and none has the schema library', (page, limit) => {
  const files = firstFiles(page);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter(hasSchemaLibrary)).toEqual([]);
  expect(octetsOf(files)).toBeLessThan(limit);
});
