import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { NOT_COMPARED } from './database/statements.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'simulate.ts');
const TRACE_OCTETS = 64 * 1024 * 1024;

interface Line {
  seeds: number;
  failed: number[];
  captures: number;
  hash?: string;
  struck: Record<string, number>;
}

/** Runs the program as `npm run simulate` does, in a process whose built-ins it may replace. */
async function simulate(...parameters: string[]): Promise<{ lines: string[]; last: Line }> {
  const { stdout } = await run(process.execPath, [PROGRAM, '--json', ...parameters], { maxBuffer: TRACE_OCTETS });
  const lines = stdout
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('hes: '));
  return { lines, last: JSON.parse(lines.at(-1) ?? '') as Line }; // as: its last line
}

/** For a busy machine; alone each takes some seconds. */
vi.setConfig({ testTimeout: 600_000 });

test('sixty seeds run without a finding, and faults of every kind take effect in them', async () => {
  const { last } = await simulate('--seeds', '60');
  expect(last).toMatchObject({ seeds: 60, failed: [] });
  expect(last.captures).toBeGreaterThan(1000);
  const kinds = ['server killed', 'database', 'statement after', 'commit before', 'line silent', 'half_open', 'clock of the server'];
  expect(Object.keys(last.struck)).toEqual(expect.arrayContaining(kinds));
});

test('the same seed gives the same trace, octet by octet, alone and after others', async () => {
  const [once, again] = await Promise.all([simulate('--seed', '7', '--trace'), simulate('--seed', '7', '--trace')]);
  expect(once.lines.length).toBeGreaterThan(500);
  expect(again.lines.slice(0, -1)).toEqual(once.lines.slice(0, -1));
  expect(again.last.hash).toBe(once.last.hash);
});

test('different seeds give different traces', async () => {
  const [one, other] = await Promise.all([simulate('--seed', '7'), simulate('--seed', '8')]);
  expect(other.last.hash).not.toBe(one.last.hash);
});

test.each(['success-before-commit', 'counters-used-again-after-restart', 'work-of-dead-owners-left'])(
  'the mutant %s is found',
  async (mutant) => {
    const { lines } = await simulate('--mutants', '--seeds', '60', '--only', mutant);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ mutants: 1, killed: 1, survived: [] });
  },
);

test('PostgreSQL and the model of the database return equal results for the statements of seeds, and hold equal rows', async () => {
  const { lines } = await simulate('--contract', '--seeds', '4');
  const compared = JSON.parse(lines.at(-1) ?? '') as { seeds: number; statements: number; differences: number[] }; // as: its last line
  expect(compared).toMatchObject({ seeds: 4, differences: [] });
  expect(compared.statements).toBeGreaterThan(1000);
});

test('a model that claims items before they are due differs from PostgreSQL', async () => {
  const { lines } = await simulate('--contract', '--mutants', '--first-seed', '13', '--seeds', '8', '--only', 'model-claims-before-due');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ mutants: 1, killed: 1, survived: [] });
});

test('results are excluded from the comparison for known reasons only', () => {
  const reasons = Map.groupBy(Object.values(NOT_COMPARED), (reason) => reason);
  expect([...reasons.values()].map((patterns) => patterns.length)).toEqual([1, 2, 6, 1]);
});
