import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBoundaries } from '../boundaries/check-boundaries.ts';
import { RULES } from '../boundaries/rules.ts';
import { BOUNDARY_PLANTS, LINT_PLANTS, type Plant } from './planted.ts';

const root = path.resolve(import.meta.dirname, '../..');
const bin = path.join(root, 'node_modules/.bin');
const copies: string[] = [];

/** A copy of the repository without ignored files, with the same packages. */
function copyRepository(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'hes-check-'));
  copies.push(copy);
  const leftOut = /(?:^|\/)(?:node_modules|dist|\.git|\.cache|data|test-results|playwright-report)(?:\/|$)/;
  cpSync(root, copy, { recursive: true, filter: (source) => !leftOut.test(path.relative(root, source)) });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

function plant(copy: string, plants: readonly Plant[]): void {
  for (const { file, text } of plants) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), text);
  }
}

function runIn(copy: string, program: string, ...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(path.join(bin, program), args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { code: status, output: stdout + stderr };
}

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** One copy for all tests: a planted violation affects no other rule. */
let copy = '';
beforeAll(() => {
  copy = copyRepository();
});

const UNUSED_PACKAGE: Plant = {
  rule: 'unused-dependencies',
  file: 'packages/dlms-node/package.json',
  text: JSON.stringify({ name: '@hes/dlms-node', dependencies: { kysely: '1.0.0' } }),
};

describe('boundaries', () => {
  let caught: { rule: string; file: string; detail: string }[] = [];
  beforeAll(() => {
    plant(copy, BOUNDARY_PLANTS);
    plant(copy, [UNUSED_PACKAGE]);
    caught = checkBoundaries(copy).violations;
  });

  test.each(BOUNDARY_PLANTS.filter(({ rule }) => !rule.includes(' ')))('$rule detects the violation in $file', ({ rule, file }) => {
    expect(caught.filter((violation) => violation.file.startsWith(file)).map((violation) => violation.rule)).toContain(rule);
  });

  test('has a planted violation for every rule of the map', () => {
    expect(RULES.map(({ name }) => name).filter((name) => !BOUNDARY_PLANTS.some(({ rule }) => rule === name))).toEqual([]);
  });

  test('finds a package that is declared and unused', () => {
    expect(caught).toContainEqual(expect.objectContaining({ rule: UNUSED_PACKAGE.rule, detail: 'kysely' }));
  });

  test('refuses to check a folder with too few files', () => {
    const empty = mkdtempSync(path.join(tmpdir(), 'hes-check-'));
    copies.push(empty);
    expect(() => checkBoundaries(empty)).toThrow('would miss violations');
  });
});

describe('lint', () => {
  let output = '';
  beforeAll(() => {
    plant(copy, LINT_PLANTS);
    const planted = [...new Set(LINT_PLANTS.map(({ file }) => file))];
    ({ output } = runIn(copy, 'oxlint', '--type-aware', '--deny-warnings', '-f', 'unix', ...planted));
  });

  test.each(LINT_PLANTS)('$rule detects $file', ({ rule, file }) => {
    expect(output.split('\n').filter((line) => line.includes(file) && line.includes(`(${rule})`))).not.toEqual([]);
  });
});

describe('types', () => {
  const plants: Plant[] = [
    { rule: 'TS2322', file: 'packages/dlms/src/planted-wrong.ts', text: "export const count: number = 'one';\n" },
    { rule: 'TS2584', file: 'packages/dlms/src/planted-console.ts', text: 'console.log(1);\n' },
    { rule: 'TS2580', file: 'packages/dlms/src/planted-process.ts', text: 'export const home = process.env;\n' },
    { rule: 'TS2304', file: 'packages/dlms/src/planted-fetch.ts', text: 'export const ask = () => setTimeout(() => {}, 1);\n' },
    { rule: 'TS1294', file: 'packages/dlms/src/planted-enum.ts', text: 'export enum Colour {\n  Red,\n}\n' },
    { rule: 'TS2532', file: 'packages/dlms/src/planted-index.ts', text: 'export const first = (list: string[]) => list[0].length;\n' },
  ];
  let output = '';
  beforeAll(() => {
    plant(copy, plants);
    ({ output } = runIn(copy, 'tsc', '-p', 'packages/dlms/tsconfig.json'));
  });

  test.each(plants)('$rule detects $file', ({ file }) => {
    expect(output).toContain(file);
  });
});

describe('format, golden files, unused files', () => {
  test('an unformatted file is detected', () => {
    plant(copy, [{ rule: 'format', file: 'tools/planted.ts', text: 'export const a = "1"' }]);
    expect(runIn(copy, 'oxfmt', '--check', 'tools/planted.ts').code).not.toBe(0);
  });

  test('an outdated golden file is detected', () => {
    writeFileSync(path.join(copy, '__golden__/routes.txt'), 'GET /nothing\n');
    const { code, output } = runIn(copy, 'node', 'tools/golden/golden.ts');
    expect(code).not.toBe(0);
    expect(output).toContain('routes.txt');
  });

  test('an unreachable file is detected', () => {
    plant(copy, [{ rule: 'unused', file: 'apps/server/src/platform/planted-unreached.ts', text: 'export const nobody = 0;\n' }]);
    expect(runIn(copy, 'knip', '--no-progress').output).toContain('planted-unreached.ts');
  });
});
