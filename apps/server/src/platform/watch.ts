import { processAgeMs } from './clock.ts';

/** A periodic job. */
export interface Watch {
  /** Runs now, or joins the current run. Does not fail. */
  look(): Promise<void>;
  /** Stops the job and waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Offset between jobs; longer than an idle run. Each job has a separate phase within the second, so that jobs share one database connection
 * instead of opening one each (20 MB).
 */
const APART_MS = 61;
let watches = 0;

/**
 * Starts a periodic job. One run at a time: a run that is due during another is skipped. `onFailure` receives errors; the next run follows.
 */
export function watch(everyMs: number, look: () => Promise<unknown>, onFailure: (error: unknown) => void): Watch {
  const placeMs = (watches++ * APART_MS) % 1000;
  let dueMs = Math.floor((processAgeMs() - placeMs) / everyMs) * everyMs + placeMs;
  let looking: Promise<void> | undefined;
  const once = (): Promise<void> =>
    (looking ??= look()
      .then(() => undefined, onFailure)
      .finally(() => (looking = undefined)));
  const nextBeat = (): NodeJS.Timeout => {
    const ageMs = processAgeMs();
    while (dueMs <= ageMs) dueMs += everyMs;
    return setTimeout(beat, dueMs - ageMs);
  };
  const beat = () => {
    timer = nextBeat();
    void once();
  };
  let timer = nextBeat();
  return {
    look: once,
    async stop() {
      clearTimeout(timer);
      await looking;
    },
  };
}
