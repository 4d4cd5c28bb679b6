import { judge, type Verdict } from './judge.ts';

/** Result of one judged history, or of a run that could not write one. */
export interface Result {
  name: string;
  verdict: Verdict;
  /** Path of the history, kept if a violation was found. */
  history: string | null;
}

export const isClean = ({ violations, judged }: Verdict): boolean => violations.length === 0 && judged.captures + judged.slots > 0;

/** A run that breaks off is a finding, and does not end the runs after it. */
export async function completed(name: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const verdict = await judge([]);
    verdict.violations.push({
      guarantee: 'history',
      what: `The run was not completed: ${error instanceof Error ? error.message : String(error)}`,
    });
    return { name, verdict, history: null };
  }
}
