/** `npm run check`: all checks that do not run the product, in parallel. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { STEPS, type Step } from './steps.ts';

interface Verdict {
  step: Step;
  passed: boolean;
  output: string;
  seconds: number;
}

const root = path.resolve(import.meta.dirname, '../..');
const AT_ONCE = 3;

const asked = process.argv.slice(2);
const steps = asked.length === 0 ? STEPS : STEPS.filter(({ name }) => asked.includes(name));
const verdicts: Verdict[] = [];
const left = [...steps];
const began = performance.now();

await Promise.all(Array.from({ length: AT_ONCE }, work));

for (const { step, output } of verdicts) if (step.isShown) console.log(`\n${output.trim()}`);
const failed = verdicts.filter(({ passed }) => !passed);
for (const { step, output } of failed) if (!step.isShown) console.log(`\n── ${step.name} ──\n${output.trim()}`);
console.log(
  `\ncheck: ${verdicts.length - failed.length} of ${steps.length} passed in ${seconds(began).toFixed(1)} s${failed.length > 0 ? `; failed: ${failed.map(({ step }) => step.name).join(', ')}` : ''}`,
);
process.exitCode = failed.length > 0 || steps.length === 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let step = left.shift(); step; step = left.shift()) {
    const verdict = await judge(step);
    verdicts.push(verdict);
    console.log(`${verdict.passed ? '✓' : '✗'} ${step.name} (${verdict.seconds.toFixed(1)} s)`);
  }
}

function judge(step: Step): Promise<Verdict> {
  const started = performance.now();
  const [program, ...args] = step.command;
  const env = {
    ...process.env,
    PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
  };
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ step, passed: false, output: error.message, seconds: seconds(started) }));
    child.on('close', (code) => resolve({ step, passed: code === 0, output, seconds: seconds(started) }));
  });
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}
