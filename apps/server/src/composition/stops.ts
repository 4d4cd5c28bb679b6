import type { Log } from '#platform/log.ts';

/** Ends of the started parts, in the order of their starts. */
export type Stops = (() => Promise<void> | void)[];

/** Stops the started parts in reverse order. A failure does not prevent the others from stopping. */
export async function unwind(stops: Stops, log: Log): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      log.error('A part did not stop cleanly', { error });
    }
  }
}
