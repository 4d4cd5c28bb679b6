import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
/** Functions that turn text into markup or code, and URLs built from unencoded text. */
const UNSAFE = /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(|javascript:/;

test('the console renders text without markup and evaluates none', () => {
  const files = globSync('apps/web/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => UNSAFE.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});
