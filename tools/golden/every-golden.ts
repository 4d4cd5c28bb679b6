import { globSync } from 'node:fs';
import path from 'node:path';
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Allow, Route } from '@hes/contract/core/route.ts';

/** What outsiders rely on, as text that a reviewer can read: a change of it shows in the diff of `__golden__`. */
export async function everyGolden(root: string): Promise<Record<string, string>> {
  return { 'routes.txt': routes(), 'pages.txt': pages(root) };
}

function routes(): string {
  const all = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));
  return text(all.map(({ method, path: address, allow, status }) => `${address} ${method} ${status ?? 200} ${holder(allow)}`).toSorted());
}

const holder = (allow: Allow): string => (typeof allow === 'string' ? allow : `${allow.page} ${allow.action}`);

/** A page's folder is its address. */
function pages(root: string): string {
  const folders = globSync('**/page.tsx', { cwd: path.join(root, 'apps/web/src/pages') });
  return text(folders.map((file) => `/${path.dirname(file).split(path.sep).join('/')}`).toSorted());
}

const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');
