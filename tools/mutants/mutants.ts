/** `npm run mutants`: plants known faults into a copy of the product, one at a time, and requires that a test detects each. */
import { parseArgs } from 'node:util';
import { checkTypes } from './check-types.ts';
import { Judge, type Verdict } from './judge-mutant.ts';
import { MUTANTS } from './list/every-mutant.ts';
import type { Mutant } from './mutant.ts';
import type { TestRun } from './run-tests.ts';
import { endOnSignals } from './scratch-tree.ts';
import { makeTestBed } from './test-bed.ts';

const HELP = `npm run mutants -- [--only ID,…] [--at-once N] [--list] [--json]

Each mutant of tools/mutants/list/ is applied to a copy of the working tree, in which its tests run. It is killed if an
assertion fails that holds without it; other errors do not count.

  --only ID,…   these mutants; an ID may be a common prefix
  --at-once N   mutants in parallel, each in a separate copy; default: 2
  --list        lists the mutants without running them
  --json        one line: {"mutants":n,"killed":n,"survived":["…"]}

Exit code 0: every mutant is killed, 1: one survived, 2: the run failed.`;

const OPTIONS = {
  only: { type: 'string' },
  'at-once': { type: 'string', default: '2' },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function chosen(only: string | undefined): Mutant[] {
  if (only === undefined) return [...MUTANTS];
  const wanted = only.split(',');
  return MUTANTS.filter(({ id }) => wanted.some((prefix) => id.startsWith(prefix)));
}

/** Judges all mutants with `atOnce` trees in parallel. */
async function judgeAll(mutants: readonly Mutant[], atOnce: number, onVerdict: (verdict: Verdict) => void): Promise<Verdict[]> {
  const waiting = [...mutants];
  const verdicts: Verdict[] = [];
  const bases = new Map<string, Promise<TestRun>>();
  const work = async () => {
    const bed = await makeTestBed();
    try {
      const judge = new Judge(bed, bases);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const verdict = await judge.judge(next);
        verdicts.push(verdict);
        onVerdict(verdict);
      }
    } finally {
      await bed.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, mutants.length) }, work));
  return verdicts;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const mutants = chosen(values.only);
  const atOnce = Number(values['at-once']);
  if (values.help || mutants.length === 0 || !(atOnce >= 1)) {
    console.log(values.help ? HELP : `Unknown mutant.\n\n${HELP}`);
    return values.help ? 0 : 2;
  }
  if (values.list) {
    for (const { id, breaks, file } of mutants) console.log(`${id}  ${breaks.join(' ') || '-'}  ${file}`);
    return 0;
  }
  const say = values.json ? console.error : console.log;
  const wrong = values.only === undefined ? await checkTypes(mutants) : [];
  for (const line of wrong) say(line);
  if (wrong.length > 0) return 2;
  const verdicts = await judgeAll(mutants, atOnce, ({ id, isKilled, why, seconds }) =>
    say(`${isKilled ? 'killed  ' : 'SURVIVED'} ${id} (${seconds} s): ${why}`),
  );
  const survived = verdicts.filter(({ isKilled }) => !isKilled).map(({ id }) => id);
  const killed = verdicts.length - survived.length;
  console.log(
    values.json
      ? JSON.stringify({ mutants: verdicts.length, killed, survived })
      : `${verdicts.length} mutants, ${killed} killed, ${survived.length} survived`,
  );
  return survived.length === 0 ? 0 : 1;
}

endOnSignals();
process.exitCode = await main();
