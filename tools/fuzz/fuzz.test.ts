import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuMsOf, fuzz, MAX_INPUT_MS, memoryFactorOf } from './campaign.ts';
import { corpusOf, regressionsOf } from './corpus.ts';
import { blowUp } from './mutate.ts';
import { Random } from './random.ts';
import type { Target } from './target.ts';
import { isExpected, TARGETS } from './targets.ts';

const EXECUTIONS = 400;
const SEED = 20_260_101;
/** Parallel tests share caches and half of the core: the limit itself applies to `npm run fuzz`. */
const SHARED_CORE = 10;
/** Octets of heap per octet of input, with a margin for the measurement. */
const MAX_MEMORY_FACTOR = 10 * 1.05;
function complaintOf(target: Target, input: Uint8Array): unknown {
  try {
    target.run(input);
  } catch (error) {
    return isExpected(error) ? undefined : error;
  }
  return undefined;
}

const CONFORMANCE = readFileSync(path.join(import.meta.dirname, '../../docs/dlms-conformance.md'), 'utf8');

it('every decoder has been fuzzed with five million inputs, as the conformance document states', () => {
  const told = new Map(
    [...CONFORMANCE.matchAll(/^\| ([a-z0-9-]+) \| ([\d,]+) \| [\d,]+ \|/gm)].map(([, name = '', count = '']) => [name, count]),
  );
  for (const name of Object.keys(TARGETS)) expect(Number(told.get(name)?.replaceAll(',', '')), name).toBeGreaterThanOrEqual(5_000_000);
});

describe.each(Object.entries(TARGETS))('the decoder "%s"', (name, target) => {
  it('has initial inputs and accepts each of them', () => {
    const corpus = corpusOf(name, target);
    expect(corpus.length).toBeGreaterThan(0);
    expect(corpus.map((input) => complaintOf(target, input)).filter((complaint) => complaint !== undefined)).toEqual([]);
  });

  it('accepts inputs that once broke it', () => {
    for (const regression of regressionsOf(name)) {
      expect(complaintOf(target, regression.input), regression.name).toBeUndefined();
      expect(cpuMsOf(target, regression.input), regression.name).toBeLessThan(MAX_INPUT_MS * SHARED_CORE);
    }
  });

  it('fails on damaged copies with typed errors only', async () => {
    const { findings, executions } = await fuzz(target, corpusOf(name, target), { seconds: 20, executions: EXECUTIONS, seed: SEED });
    expect(findings.filter(({ why }) => !why.endsWith(' ms'))).toEqual([]);
    expect(executions).toBeGreaterThan(0);
  });

  it('decodes the largest input within its limits of time and memory', async () => {
    const random = new Random(SEED);
    for (const bomb of [blowUp(random.pick(corpusOf(name, target)), random), ...(target.bombs?.() ?? [])]) {
      expect(cpuMsOf(target, bomb)).toBeLessThan(MAX_INPUT_MS * SHARED_CORE);
      expect(await memoryFactorOf(target, bomb)).toBeLessThan(MAX_MEMORY_FACTOR);
    }
  });
});
