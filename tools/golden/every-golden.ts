import { globSync } from 'node:fs';
import path from 'node:path';
import { everyRoute } from '@hes/contract/every-route.ts';
import { GUARDS, MAX_SILENCED_PER_HOUR } from '@hes/contract/core/guard.ts';
import type { Allow, Route } from '@hes/contract/core/route.ts';
import { addressOf, PAGE_WORDS } from '@hes/contract/page/links.ts';
import { PAGE_NAMES } from '@hes/contract/page/paths.ts';
import type { Word } from '@hes/contract/page/word.ts';
import { createOpenApiDocument, createPromisedDocument } from '../../apps/server/src/http/openapi.ts';
import { EVERY_SETTING } from '../../apps/server/src/platform/declared-settings.ts';
import { databaseGolden } from './database.ts';
import { sourceTexts } from '../texts/source-texts.ts';
import { referenceTypeText } from './reference-type.ts';
import { settingsText } from './settings.ts';

/** What programs rely on; see `brokenPromises`. */
export const PROMISE = '__golden__/api-v1.json';
const REFERENCE_TYPE = 'docs/profiles/reference-dcu.json';

/** Interfaces that others rely on, as text for reviewers: changes appear in the diff of `__golden__`. */
export async function everyGolden(root: string): Promise<Record<string, string>> {
  return {
    '__golden__/routes.txt': routes(),
    '__golden__/guards.txt': guards(),
    '__golden__/pages.txt': pages(root),
    '__golden__/addresses.txt': addresses(),
    '__golden__/ambiguous-texts.txt': ambiguousTexts(root),
    'docs/settings.md': settingsText(EVERY_SETTING),
    [REFERENCE_TYPE]: referenceTypeText(root, REFERENCE_TYPE),
    '__golden__/openapi.json': `${JSON.stringify(createOpenApiDocument('0.0.0'), null, 2)}\n`,
    [PROMISE]: `${JSON.stringify(createPromisedDocument(), null, 2)}\n`,
    ...(await databaseGolden(root)),
  };
}

/** English texts that have several Chinese versions, with their files. A catalogue may translate each version differently. */
function ambiguousTexts(root: string): string {
  const ambiguous = [...Map.groupBy(sourceTexts(root), ({ en }) => en)].filter(([, versions]) => versions.length > 1);
  return text(
    ambiguous.flatMap(([en, versions]) => [en, ...versions.map(({ zh, files }) => `  ${zh} · ${files.map(shortened).join(', ')}`)]),
  );
}

const shortened = (file: string): string => file.replace(/^(apps|packages)\//, '').replace('/src/', '/');

const everyRoutes = Object.values(everyRoute).flatMap((group): Route[] => Object.values(group));

function routes(): string {
  return text(
    everyRoutes.map(({ method, path: address, allow, status }) => `${address} ${method} ${status ?? 200} ${holder(allow)}`).toSorted(),
  );
}

/** Every changing call, its risk, and the server's safeguards. */
function guards(): string {
  const changing = everyRoutes.filter(({ method }) => method !== 'GET');
  return text(changing.map((route) => `${route.path} ${route.method} ${route.endangers ?? '?'}${measuresOf(route)}`).toSorted());
}

function measuresOf({ endangers = 'nothing', proofOnlyIf, silences }: Route): string {
  const { asksProof, asksRestedRight, isStopped, isRecorded } = GUARDS[endangers];
  const condition = Object.entries(proofOnlyIf ?? {}).map(([field, value]) => ` if ${field} is ${String(value)}`);
  const measures = [
    asksProof ? `proof${condition.join('')}` : '',
    asksRestedRight ? 'right older than a day' : '',
    isStopped ? 'emergency stop' : '',
    silences === undefined ? '' : `approval above ${MAX_SILENCED_PER_HOUR} devices an hour`,
    isRecorded ? 'audit' : '',
  ].filter((measure) => measure !== '');
  return measures.length === 0 ? '' : ` | ${measures.join(' | ')}`;
}

const holder = (allow: Allow): string => (typeof allow === 'string' ? allow : `${allow.page} ${allow.action}`);

/** The folder of a page is its address. */
function pages(root: string): string {
  const folders = globSync('**/page.tsx', { cwd: path.join(root, 'apps/web/src/pages') });
  return text(folders.map((file) => `/${path.dirname(file).split(path.sep).join('/')}`).toSorted());
}

/** Every page with the words that it reads, and an address with all of them. */
function addresses(): string {
  const lines = PAGE_NAMES.flatMap((page) => {
    const words = Object.entries<Word>(PAGE_WORDS[page]).map(([key, { values }]) => ({ key, values }));
    const example = Object.fromEntries(words.map(({ key, values }) => [key, values[0] ?? '1']));
    return [
      '',
      `${page} ${addressOf(page, example)}`,
      ...words.map(({ key, values }) => `  ${key}${values.map((value) => ` ${value}`).join('')}`),
    ];
  });
  return text(lines.slice(1));
}

const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');
