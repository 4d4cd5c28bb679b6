import { expect, test } from 'vitest';
import { pages } from './page-list.ts';

const LIBRARY = 'antd';

const sources = import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.{ts,tsx}'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The static imports of a source, without type imports. */
const importedBy = (source: string): string[] =>
  [...source.matchAll(/^import (?!type )(?:\{([^}]*)\}|[^'{]*)?(?: from )?'([^']+)'/gm)].flatMap(([, names, from = '']) =>
    names?.split(',').every((name) => /^\s*(?:type |$)/.test(name)) ? [] : [from],
  );

const fileOf = (from: string, importer: string): string =>
  from.startsWith('#') ? `/src/${from.slice(1)}` : new URL(from, `file://${importer}`).pathname;

/** The files, reached by static imports of a source, that import the library. */
function importersOfLibrary(file: string, known = new Set<string>()): string[] {
  if (known.has(file)) return [];
  known.add(file);
  return importedBy(sources[file] ?? '').flatMap((from) => {
    if (from === LIBRARY || from.startsWith(`${LIBRARY}/`)) return [file];
    return /^[#.]/.test(from) ? importersOfLibrary(fileOf(from, file), known) : [];
  });
}

test('the walk finds the library where it is', () => {
  expect(importersOfLibrary('/src/shared/theme/controls.tsx')).toContain('/src/shared/theme/controls.tsx');
  expect(importersOfLibrary('/src/pages/assets/dcu/page.tsx').length).toBeGreaterThan(3);
});

test('the first render needs no component library', () => {
  const plain = pages.filter(({ isPlain }) => isPlain).map(({ path }) => `/src/pages${path}/page.tsx`);
  expect(plain).toEqual(['/src/pages/dashboard/page.tsx']);
  for (const file of ['/src/main.tsx', '/src/console.tsx', '/src/shell/layout.tsx', ...plain])
    expect(importersOfLibrary(file), file).toEqual([]);
});
