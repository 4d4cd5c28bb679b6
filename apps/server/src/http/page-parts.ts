import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';

/** Entry of the build manifest: file, imports and style sheets of a source. */
interface Built {
  file: string;
  imports?: string[];
  css?: string[];
}

const ENTRY = 'index.html';
/** Sources of the frame around all pages. */
const CONSOLE = ['src/console.tsx', 'src/app/frame/layout.tsx'];
/** Source that pages built with the component library need. */
const CONTROLS = 'src/kit/theme/controls.tsx';
/** Start page; it does not use the component library. */
const HOME = PAGE_PATH.dashboard;
/** The sign-in page needs no other source. */
const SIGN_IN = { path: PAGE_PATH.login, part: 'src/first-sign-in.tsx' };

const readManifest = (root: string): Record<string, Built> => {
  const path = join(root, '.vite', 'manifest.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Built>) : {}; // written by our own build
};

/**
 * Adds preload links for all files of a page to its HTML: the browser loads them in parallel instead of discovering them one by one. The
 * source path of a page follows from its URL path.
 */
export function createPageHtml(root: string, base: string, html: string): (path: string) => string {
  const manifest = readManifest(root);
  const filesOf = (names: readonly string[], known = new Set<string>()): Set<string> => {
    for (const name of names) {
      const built = manifest[name];
      if (!built || known.has(built.file)) continue;
      known.add(built.file);
      built.css?.forEach((file) => known.add(file));
      filesOf(built.imports ?? [], known);
    }
    return known;
  };
  const standing = filesOf([ENTRY]);
  const link = (file: string) => `<link rel="${file.endsWith('.css') ? 'stylesheet' : 'modulepreload'}" crossorigin href="${base}${file}">`;
  const pageOf = (path: string) => `src/pages${path}/page.tsx`;
  const partsOf = (path: string) =>
    path === SIGN_IN.path ? [SIGN_IN.part] : [...CONSOLE, ...(path === HOME ? [] : [CONTROLS]), pageOf(path)];
  const written = new Map<string, string>();

  return (address) => {
    const path = `/${address.slice(base.length)}`.replace(/\/+$/, '') || HOME;
    // Caches existing pages only, because requests with arbitrary paths could fill the memory.
    if (!(pageOf(path) in manifest)) return html;
    let page = written.get(path);
    if (page === undefined) {
      const files = [...filesOf(partsOf(path))].filter((file) => !standing.has(file));
      page = html.replace('</head>', `${files.map(link).join('')}</head>`);
      written.set(path, page);
    }
    return page;
  };
}
