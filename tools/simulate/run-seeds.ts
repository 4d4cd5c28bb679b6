import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SeedResult } from './run-seed.ts';
import type { Recording, Told, Work } from './thread.ts';

interface Listener {
  /** Returns whether more results are wanted. */
  onResult(result: SeedResult): boolean;
  onRecording?(recording: Recording): void;
}

/** Runs seeds on all cores. */
export async function runSeeds(work: Omit<Work, 'step'>, { onResult, onRecording }: Listener): Promise<void> {
  const threads = work.trace ? 1 : Math.min(availableParallelism(), work.count);
  const running = Array.from({ length: threads }, (_, index) => {
    const workerData: Work = { ...work, first: work.first + index, count: work.count - index, step: threads };
    return new Worker(new URL('thread.ts', import.meta.url), { workerData });
  });
  const stop = (): void => running.forEach((worker) => void worker.terminate());
  await Promise.all(
    running.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('message', (told: Told) => {
            if ('lines' in told) process.stdout.write(`${told.lines.join('\n')}\n`);
            else if ('recording' in told) onRecording?.(told);
            else if ('failure' in told) {
              stop();
              reject(new Error(`The simulation itself failed. ${told.failure}`));
            } else if (!onResult(told.result)) stop();
          });
          worker.once('error', (error) => {
            stop();
            reject(error);
          });
          worker.once('exit', () => resolve());
        }),
    ),
  );
}
