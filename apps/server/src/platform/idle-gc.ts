import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

const CHECK_EVERY_MS = 15_000;
/** The first check is early, because starting leaves garbage. */
const FIRST_CHECK_MS = 3_000;
/** A thread is idle below this utilization of its event loop since the last check. Collection keeps it above. */
const IDLE_SHARE = 0.02;
/** A smaller young generation is not worth the pause. */
const MIN_OCTETS = 8 << 20;

const youngGenerationOctets = (): number => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * Shrinks the heap of this thread when it is idle. V8 never shrinks the young generation that grew during collection, except by a last-resort
 * collection, which pauses the thread for 0.1 s. Does nothing without `--expose-gc`; its timers keep no thread alive.
 */
export function collectGarbageWhenIdle(checkEveryMs = CHECK_EVERY_MS): void {
  const collect = globalThis.gc;
  if (collect === undefined) return;
  let last = performance.eventLoopUtilization();
  const check = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization < IDLE_SHARE && youngGenerationOctets() >= MIN_OCTETS)
      collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
  setTimeout(check, Math.min(FIRST_CHECK_MS, checkEveryMs)).unref();
  setInterval(check, checkEveryMs).unref();
}
