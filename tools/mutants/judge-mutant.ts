import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mutate, type Mutant } from './mutant.ts';
import { runTests, type Selection, type TestRun } from './run-tests.ts';
import type { TestBed } from './test-bed.ts';

export interface Verdict {
  id: string;
  isKilled: boolean;
  /** The test that detected it, or the reason for its survival. */
  why: string;
  seconds: number;
}

const keyOf = ({ tests, only = '' }: Selection): string => [...tests, only].join('\n');

/** Judges mutants sequentially in one copy. */
export class Judge {
  readonly #bed: TestBed;
  /** Results of each test selection without a mutant; shared by all judges. */
  readonly #bases: Map<string, Promise<TestRun>>;

  constructor(bed: TestBed, bases: Map<string, Promise<TestRun>>) {
    this.#bed = bed;
    this.#bases = bases;
  }

  /** A mutant is killed if an assertion fails that holds without it. */
  async judge(mutant: Mutant): Promise<Verdict> {
    const begun = Date.now();
    const { isKilled, why } = await this.#outcomeOf(mutant);
    return { id: mutant.id, isKilled, why, seconds: Math.round((Date.now() - begun) / 1000) };
  }

  async #outcomeOf(mutant: Mutant): Promise<Pick<Verdict, 'isKilled' | 'why'>> {
    const base = await this.#baseOf(mutant);
    const [wrong] = [...base.asserted, ...base.broken];
    if (wrong !== undefined) return { isKilled: false, why: `its tests fail without the mutant: ${wrong}` };
    const { asserted, broken } = await this.#runWith(mutant);
    if (asserted[0] !== undefined) return { isKilled: true, why: asserted[0] };
    return { isKilled: false, why: broken[0] === undefined ? 'its tests pass' : `no assertion failed, but: ${broken[0]}` };
  }

  #baseOf(selection: Selection): Promise<TestRun> {
    const key = keyOf(selection);
    const known = this.#bases.get(key) ?? runTests(this.#bed, selection);
    this.#bases.set(key, known);
    return known;
  }

  async #runWith(mutant: Mutant): Promise<TestRun> {
    const file = path.join(this.#bed.folder, mutant.file);
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, mutate(source, mutant));
    try {
      return await runTests(this.#bed, mutant);
    } finally {
      writeFileSync(file, source);
    }
  }
}
