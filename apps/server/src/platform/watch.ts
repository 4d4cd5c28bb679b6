import { processAgeMs } from './clock.ts';

/** Something that is looked after again and again. */
export interface Watch {
  /** Looks now; while a look goes on, that one. Does not fail. */
  look(): Promise<void>;
  /** Looks no more, and waits for the look that goes on. */
  stop(): Promise<void>;
}

/**
 * More than a look takes at rest. Each watch has its own place within the second, so that those of a minute, of ten seconds and of one do not
 * ask the database at once: together they need one connection and not one each, and a connection at rest is 20 MB.
 */
const APART_MS = 61;
let watches = 0;

/** Looks every so many milliseconds. One look at a time: what is due while one goes on is left out. A look that fails is told, and the next one comes. */
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
