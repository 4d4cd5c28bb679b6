import { processAgeMs } from './clock.ts';

/** A periodic job. */
export interface PeriodicJob {
  /** Runs now, or joins the current run. Does not fail. */
  runNow(): Promise<void>;
  /** Stops the job and waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Offset between jobs; longer than an idle run. Each job has a separate phase within the second, so that jobs share one database connection
 * instead of opening one each (20 MB).
 */
const PHASE_STEP_MS = 61;
let jobs = 0;

/**
 * Starts a periodic job. One run at a time: a run that is due during another is skipped. `onFailure` receives errors; the next run follows.
 */
export function startPeriodicJob(everyMs: number, work: () => Promise<unknown>, onFailure: (error: unknown) => void): PeriodicJob {
  const phaseMs = (jobs++ * PHASE_STEP_MS) % 1000;
  let dueMs = Math.floor((processAgeMs() - phaseMs) / everyMs) * everyMs + phaseMs;
  let running: Promise<void> | undefined;
  const runOnce = (): Promise<void> =>
    (running ??= work()
      .then(() => undefined, onFailure)
      .finally(() => (running = undefined)));
  const scheduleNext = (): NodeJS.Timeout => {
    const ageMs = processAgeMs();
    while (dueMs <= ageMs) dueMs += everyMs;
    return setTimeout(runDue, dueMs - ageMs);
  };
  const runDue = () => {
    timer = scheduleNext();
    void runOnce();
  };
  let timer = scheduleNext();
  return {
    runNow: runOnce,
    async stop() {
      clearTimeout(timer);
      await running;
    },
  };
}
