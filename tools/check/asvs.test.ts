import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const REQUIREMENTS = 253;
/** Minimum share of passed requirements among the applicable ones, for each release. */
const GATE = 0.95;

const rows = [...read('docs/security-asvs.md').matchAll(/^\| (V\d+\.\d+\.\d+) \| .* \| (pass|fail|n\.a\.) \| (.+) \|$/gm)].map(
  ([, id = '', verdict = '', proof = '']) => ({ id, verdict, proof }),
);
const proofsOf = (text: string) =>
  [...text.matchAll(/`([\w./-]+\.[a-z]+)`(?: "([^"]+)")?/g)].map(([, file = '', title]) => ({ file, title }));
const isThere = ({ file, title }: { file: string; title: string | undefined }) =>
  existsSync(path.join(root, file)) && (title === undefined || read(file).includes(title));

test('each requirement has one verdict', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(REQUIREMENTS);
  expect(rows).toHaveLength(REQUIREMENTS);
});

test('no requirement passes without a file or test that exists', () => {
  const passed = rows.filter(({ verdict }) => verdict === 'pass');
  expect(passed.filter(({ proof }) => proofsOf(proof).length === 0).map(({ id }) => id)).toEqual([]);
  expect(passed.flatMap(({ proof }) => proofsOf(proof)).filter((proof) => !isThere(proof))).toEqual([]);
});

test('the evidence of each row of board D exists', () => {
  const board = [...read('docs/security.md').matchAll(/^\| (D\d+) \| .*$/gm)];
  expect(new Set(board.map(([, id]) => id)).size).toBe(30);
  expect(board.flatMap(([row]) => proofsOf(row)).filter((proof) => !isThere(proof))).toEqual([]);
});

test('the score of the ledger is above the gate', () => {
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  const [passed, failed] = [count('pass'), count('fail')];
  const share = passed / (passed + failed);
  process.stdout.write(`ASVS: ${passed} pass, ${failed} fail, ${count('n.a.')} not applicable, ${(share * 100).toFixed(1)} %\n`);
  expect(share).toBeGreaterThanOrEqual(GATE);
});
