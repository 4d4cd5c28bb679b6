import { say } from '../lib/say.mjs';
import type { Attacked } from './attacked.ts';
import { Trial, type Check, type Finding } from './check.ts';

export interface Result {
  check: Check;
  outcome: 'held' | 'failed' | 'not checked';
  evidence: string;
  ms: number;
}

const USUAL_MS = 180_000;

async function attempt(check: Extract<Check, { attempt: unknown }>, target: Attacked): Promise<Finding> {
  const trial = new Trial();
  const mostMs = check.mostMs ?? USUAL_MS;
  const late = AbortSignal.timeout(mostMs);
  const timeout = new Promise<never>((_, fail) => late.addEventListener('abort', () => fail(new Error(`It exceeded ${mostMs / 1000} s`))));
  try {
    await Promise.race([check.attempt(target, trial), timeout]);
    return trial.finding();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { held: false, evidence: `could not be carried out: ${why}; ${trial.finding().evidence}` };
  }
}

/** Runs checks sequentially on one product. A check that cannot be carried out counts as failed. */
export async function runChecks(checks: readonly Check[], target: Attacked): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    if ('notChecked' in check) {
      results.push({ check, outcome: 'not checked', evidence: check.notChecked, ms: 0 });
      continue;
    }
    const began = performance.now();
    const { held, evidence } = await attempt(check, target);
    const ms = performance.now() - began;
    results.push({ check, outcome: held ? 'held' : 'failed', evidence, ms });
    say(`${held ? 'held  ' : 'FAILED'} ${check.ids.join(' ')} in ${(ms / 1000).toFixed(1)} s${held ? '' : `: ${evidence}`}`);
  }
  return results;
}

const numberOf = (id: string) => (id.startsWith('F') ? 0 : 100) + Number(id.slice(1));
const inOrder = (ids: readonly string[]) => ids.toSorted((a, b) => numberOf(a) - numberOf(b));
const idsOf = (results: readonly Result[], outcome: Result['outcome']) =>
  inOrder(results.filter((result) => result.outcome === outcome).flatMap(({ check }) => check.ids));

/** Result of `--json`: counts of ids, and the ids that did not hold. */
export function summaryOf(results: readonly Result[]) {
  const [held, failed, notChecked] = [idsOf(results, 'held'), idsOf(results, 'failed'), idsOf(results, 'not checked')];
  return { checks: held.length + failed.length, held: held.length, failed, notChecked };
}

/** One paragraph for each check: its ids, the attack, the result. */
export function tableOf(results: readonly Result[]): string {
  const sorted = results.toSorted((a, b) => numberOf(a.check.ids[0]) - numberOf(b.check.ids[0]));
  return sorted
    .map(({ check, outcome, evidence }) => {
      const word = { held: 'held', failed: 'FAILED', 'not checked': 'not checked here' }[outcome];
      return `${check.ids.join(' ').padEnd(8)} ${word.padEnd(7)} ${check.title}\n${' '.repeat(17)}${evidence}`;
    })
    .join('\n');
}
