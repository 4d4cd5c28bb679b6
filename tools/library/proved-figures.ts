import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './packages.ts';

const CONFORMANCE = 'docs/dlms-conformance.md';
const VECTORS = 'packages/dlms/test/vectors';

interface Vector {
  name: string;
  source: string;
  expect?: string;
}

const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

function vectors(): Vector[] {
  return globSync(`${VECTORS}/*.json`, { cwd: ROOT }).flatMap((file) => JSON.parse(textOf(file)) as Vector[]); // as: the vectors of this repository
}

/** Cells of the rows of a table, by the first words of its header. Fails when there is no such table. */
export function tableOf(text: string, header: string): string[][] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${header} |`));
  if (from < 0) throw new Error(`no table "${header}" in ${CONFORMANCE}`);
  const rows = lines.slice(from + 2);
  const end = rows.findIndex((line) => !line.startsWith('| '));
  return rows.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const numberOf = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));
const sum = (numbers: readonly number[]): string => numbers.reduce((total, one) => total + one, 0).toLocaleString('en');

/** Figures of the page "How it was proved", by the name that stands in its place. */
export function provedFigures(): Readonly<Record<string, string>> {
  const all = vectors();
  const byHand = all.filter(({ source }) => source.startsWith('assembled by hand'));
  const gurux = all.filter(({ name }) => name.startsWith('gxpy-'));
  const document = textOf(CONFORMANCE);
  const fuzz = tableOf(document, 'Target');
  const peers = tableOf(document, 'Peer | Version | Last run');
  const matrix = /(\d+ of \d+) cells passed/.exec(document)?.[1];
  if (matrix === undefined) throw new Error(`no matrix in ${CONFORMANCE}`);
  return {
    'public-vectors': String(all.length - byHand.length - gurux.length),
    'gurux-vectors': String(gurux.length),
    'hand-vectors': String(byHand.length),
    'refused-vectors': String(all.filter(({ expect = 'ok' }) => expect !== 'ok').length),
    stacks: String(peers.length),
    peers: [
      '| Peer | Version | Last run | In which role |',
      '|--|--|--|--|',
      ...peers.map(([peer, version, date, , roles]) => `| ${peer} | ${version} | ${date} | ${roles} |`),
    ].join('\n'),
    matrix,
    fuzzed: sum(fuzz.map((row) => numberOf(row[1]))),
    broken: sum(fuzz.map((row) => numberOf(row[4]))),
    targets: String(fuzz.length),
    classes: String(new Set(tableOf(document, 'Class').map(([id]) => id)).size),
    recipes: String(globSync('packages/dlms/docs/recipes/*.ts', { cwd: ROOT }).length),
  };
}

/** The text with its figures. Fails on a name without one. */
export function withFigures(text: string, figures: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{([\w-]+)\}\}/g, (_whole, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`no figure "${name}"`);
    return figure;
  });
}
