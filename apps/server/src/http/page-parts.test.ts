import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPageHtml } from './page-parts.ts';

const HTML = '<html><head><script src="/hes/assets/index.js"></script></head><body></body></html>';
const MANIFEST = {
  'index.html': { file: 'assets/index.js', imports: ['_react.js'], css: ['assets/index.css'] },
  '_react.js': { file: 'assets/react.js' },
  '_table.js': { file: 'assets/table.js', css: ['assets/table.css'], imports: ['_react.js'] },
  'src/console.tsx': { file: 'assets/console.js', imports: ['_react.js', 'index.html'] },
  'src/app/frame/layout.tsx': { file: 'assets/layout.js', imports: ['_react.js'] },
  'src/kit/theme/controls.tsx': { file: 'assets/controls.js', imports: ['_react.js'] },
  'src/first-sign-in.tsx': { file: 'assets/signin.js', imports: ['src/kit/theme/controls.tsx'] },
  'src/pages/login/page.tsx': { file: 'assets/login.js', imports: ['_react.js'] },
  'src/pages/dashboard/page.tsx': { file: 'assets/dashboard.js', imports: ['index.html'] },
  'src/pages/assets/dcu/page.tsx': { file: 'assets/dcu.js', imports: ['_table.js'], css: ['assets/dcu.css'] },
};

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hes-console-'));
  mkdirSync(join(root, '.vite'));
  writeFileSync(join(root, '.vite', 'manifest.json'), JSON.stringify(MANIFEST));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const linksOf = (html: string) =>
  [...html.matchAll(/<link rel="(\w+)" crossorigin href="\/hes\/assets\/([\w.]+)">/g)].map(([, , file]) => file);

describe('the page of a path', () => {
  it('preloads the files of its page once, except those already in the HTML', () => {
    const pageHtml = createPageHtml(root, '/hes/', HTML);
    expect(linksOf(pageHtml('/hes/assets/dcu'))).toEqual([
      'console.js',
      'layout.js',
      'controls.js',
      'dcu.js',
      'dcu.css',
      'table.js',
      'table.css',
    ]);
    expect(pageHtml('/hes/assets/dcu')).toContain('<link rel="stylesheet" crossorigin href="/hes/assets/dcu.css">');
    expect(pageHtml('/hes/assets/dcu/')).toBe(pageHtml('/hes/assets/dcu'));
  });

  it('preloads only the sign-in for the sign-in page', () => {
    expect(linksOf(createPageHtml(root, '/hes/', HTML)('/hes/login'))).toEqual(['signin.js', 'controls.js']);
  });

  it('preloads the dashboard for the base path, without the component library', () => {
    expect(linksOf(createPageHtml(root, '/hes/', HTML)('/hes/'))).toEqual(['console.js', 'layout.js', 'dashboard.js']);
  });

  it('is unchanged for unknown paths and without a manifest', () => {
    expect(createPageHtml(root, '/hes/', HTML)('/hes/no/such-page')).toBe(HTML);
    rmSync(join(root, '.vite'), { recursive: true });
    expect(createPageHtml(root, '/hes/', HTML)('/hes/dashboard')).toBe(HTML);
  });
});
