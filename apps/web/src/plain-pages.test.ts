import { expect, test } from 'vitest';
import { PAGE_PATHS, PAGES } from './core/url/pages.ts';

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
  expect(importersOfLibrary('/src/kit/theme/controls.tsx')).toContain('/src/kit/theme/controls.tsx');
  expect(importersOfLibrary('/src/pages/assets/dcu/page.tsx').length).toBeGreaterThan(3);
});

test('the first render needs no component library', () => {
  const plain = PAGE_PATHS.filter((path) => PAGES[path].isPlain).map((path) => `/src/pages${path}/page.tsx`);
  expect(plain).toEqual(['/src/pages/dashboard/page.tsx']);
  for (const file of ['/src/main.tsx', '/src/console.tsx', '/src/app/frame/layout.tsx', ...plain])
    expect(importersOfLibrary(file), file).toEqual([]);
});
