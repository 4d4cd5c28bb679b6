import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

const LOOK_MS = 15_000;
/** What starting took is not kept for as long. */
const FIRST_LOOK_MS = 3_000;
/** A thread rests that was busy for less than this share of the time since the last look. A town that is being read keeps it above. */
const REST_SHARE = 0.02;
/** Less is not worth a stop. */
const WORTH_OCTETS = 8 << 20;

const nurseryOctets = (): number => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * Gives this thread's memory of busy hours back once it rests. V8 grows the nursery while a fleet is read and keeps it for good; only its
 * collection of last resort makes it small again, a stop of a tenth of a second. Does nothing where Node was started without `--expose-gc`.
 * Keeps no thread alive.
 */
export function giveBackAtRest(lookMs = LOOK_MS): void {
  const collect = globalThis.gc;
  if (collect === undefined) return;
  let last = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization < REST_SHARE && nurseryOctets() >= WORTH_OCTETS) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
  setTimeout(look, Math.min(FIRST_LOOK_MS, lookMs)).unref();
  setInterval(look, lookMs).unref();
}
