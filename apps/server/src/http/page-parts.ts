import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build says of a source: its file, the files that must be there with it, and its styles. */
interface Built {
  file: string;
  imports?: string[];
  css?: string[];
}

const ENTRY = 'index.html';
/** What surrounds the pages. */
const CONSOLE = ['src/console.tsx', 'src/shell/layout.tsx'];
/** What surrounds a page that is made with the component library. */
const CONTROLS = 'src/shared/theme/controls.tsx';
/** What opens when no page is named; it is drawn without that library. */
const HOME = '/dashboard';
/** Who signs in waits for nothing else. */
const SIGN_IN = { path: '/login', part: 'src/first-sign-in.tsx' };

const readManifest = (root: string): Record<string, Built> => {
  const path = join(root, '.vite', 'manifest.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Built>) : {}; // written by our own build
};

/**
 * Tells the browser with the page itself which files an address is made of, so that they come while the first of them is read, and
 * not one after the other as each is found out. A page of the console lies where its address says.
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
    // Only pages there are: strangers must not fill the memory with addresses.
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
