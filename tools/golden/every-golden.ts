import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Allow, Route } from '@hes/contract/core/route.ts';
import { openApi } from '../../apps/server/src/http/openapi.ts';
import { databaseGolden } from './database.ts';

/** What outsiders rely on, as text that a reviewer can read: a change of it shows in the diff of `__golden__`. */
export async function everyGolden(root: string): Promise<Record<string, string>> {
  return {
    '__golden__/routes.txt': routes(),
    '__golden__/pages.txt': pages(root),
    'docs/settings.md': settings(root),
    '__golden__/openapi.json': `${JSON.stringify(openApi('0.0.0'), null, 2)}\n`,
    ...(await databaseGolden(root)),
  };
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

/** The doc comments of config.ts, as the table an operator reads: they cannot differ. */
function settings(root: string): string {
  const source = readFileSync(path.join(root, 'apps/server/src/platform/config.ts'), 'utf8');
  const found = [...source.matchAll(/\/\*\* ([A-Z][A-Z_]+): ([^*]+?) \*\//g)];
  return text([
    '# Settings',
    '',
    'Environment variables. Written by `npm run golden` from `apps/server/src/platform/config.ts`, the only file that reads them.',
    '',
    '| Variable | Meaning |',
    '|--|--|',
    ...found.map(([, name, meaning = '']) => `| \`${name}\` | ${meaning.replaceAll('|', String.raw`\|`)} |`),
  ]);
}

const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');
