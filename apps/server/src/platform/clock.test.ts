import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { LONG_AGO, monotonicAt, msAfter, msBetween, NEVER, type MonotonicMs } from './clock.ts';

const root = path.resolve(import.meta.dirname, '..');
const CLOCK = 'platform/clock.ts';

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value as unknown[]) yield* nodesOf(one);
  else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) yield* nodesOf(child);
  }
}

/** Last name of `a`, `a.b`, `a?.b`, also inside type assertions and calls. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name']);
  if (node.type === 'MemberExpression') return nameOf(node['property']);
  return nameOf(node['expression'] ?? (node.type === 'CallExpression' ? node['callee'] : undefined));
}

/** Whether a name or a call denotes a timestamp of the wall clock. */
function isStamp(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'LogicalExpression') return isStamp(node['left']) || isStamp(node['right']);
  if (node.type === 'CallExpression' || isNode(node['expression']))
    return /^(now|getTime)$/.test(nameOf(node)) || isStamp(node['expression']);
  return /^now$|At$|^(since|until|begun)$/.test(nameOf(node));
}

/**
 * Permitted differences of timestamps: times from devices, and deadlines in the database that outlive the process. A step of the wall clock
 * shifts them, which is tolerable because they are hours long.
 */
const BETWEEN_STAMPS: Record<string, number> = {
  'field/profiles/event-log.ts': 2,
  // The window of a plan, a time of day, from the time of its run.
  'features/collection/schedule/plan-queue.ts': 2,
  'features/topology/operation.ts': 3,
  'features/upgrade/transfer/broadcast.ts': 3,
  'features/upgrade/transfer/steps.ts': 3,
  'features/upgrade/transfer/operation.ts': 2,
  'features/relay/watch.ts': 1,
  'features/real-time/routes.ts': 1,
  // The remaining lifetime of a program's token, which is days long, limits that of its access tokens.
  'features/people/token/program-sign-in.ts': 1,
  'features/people/token/renew.ts': 1,
  // The age of a trace in days, from the time in its id, against the setting that deletes traces.
  'features/diagnostics/trace/routes.ts': 1,
  // Alarms are kept in the database; whether an event belongs to one follows from when both occurred.
  'features/alarms/find-alarms.ts': 3,
  // The wait of a sender, which is capped.
  'features/deliveries/senders/deliver.ts': 1,
  'features/dashboard/service.ts': 1,
  'features/upgrade/job/supervisor.ts': 1,
  'platform/lock-out.ts': 1,
  'storage/thread/worker.ts': 1,
};

const sources: { file: string; nodes: Node[]; text: string }[] = [];
for await (const found of glob('**/*.ts', { cwd: root })) {
  const file = found.replaceAll(path.sep, '/');
  if (file.endsWith('.test.ts') || file === CLOCK) continue;
  const text = readFileSync(path.join(root, file), 'utf8');
  sources.push({ file, text, nodes: [...nodesOf(parseSync(file, text).program)] });
}

test('only the clock port reads a clock', () => {
  const asked = sources.flatMap(({ file, nodes, text }) =>
    nodes
      .filter(({ type, ...node }) => {
        if (type === 'NewExpression') return nameOf(node['callee']) === 'Date' && (node['arguments'] as unknown[]).length === 0; // as: every `new` has a list
        if (type !== 'MemberExpression') return false;
        return /^(Date\.now|performance\.now|process\.(hrtime|uptime))$/.test(`${nameOf(node['object'])}.${nameOf(node['property'])}`);
      })
      .map(({ start, end }) => `${file}: ${text.slice(start, end)}`),
  );
  expect(asked).toEqual([]);
});

test('no duration is the difference of two wall-clock timestamps', () => {
  const differences = sources.flatMap(({ file, nodes, text }) =>
    nodes
      .filter((node) => node.type === 'BinaryExpression' && node['operator'] === '-' && isStamp(node['left']) && isStamp(node['right']))
      .map(({ start, end }) => ({ file, what: text.slice(start, end) })),
  );
  const byFile = Object.fromEntries([...Map.groupBy(differences, ({ file }) => file)].map(([file, own]) => [file, own.length]));
  expect(byFile, JSON.stringify(differences, null, 1)).toEqual(BETWEEN_STAMPS);
});

test('monotonic times and epoch milliseconds cannot be mixed', () => {
  const moment: MonotonicMs = monotonicAt(5);
  // @ts-expect-error A monotonic time is not a number.
  const mixed = () => Date.now() - moment;
  // @ts-expect-error A timestamp is not a monotonic time.
  const stamped = (): MonotonicMs => Date.now();
  expect([mixed, stamped]).toHaveLength(2);
  expect(msBetween(moment, msAfter(moment, 7))).toBe(7);
  expect([msBetween(LONG_AGO, moment), msBetween(moment, NEVER)]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
});
