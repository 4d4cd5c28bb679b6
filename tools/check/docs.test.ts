import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });

const linksOf = (text: string): string[] => [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`((?:apps|packages|tools|e2e|docs)\/[\w./-]+)`/g)].map(([, file = '']) => file);

describe('documents refer to existing files', () => {
  test.each(documents)('%s', (document) => {
    const text = readFileSync(path.join(root, document), 'utf8');
    const missing = [
      ...linksOf(text)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(path.join(root, path.dirname(document), target))),
      ...pathsOf(text).filter((file) => !existsSync(path.join(root, file))),
    ];
    expect(missing).toEqual([]);
  });
});
