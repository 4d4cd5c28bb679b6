import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Nice value 10: about a ninth of the CPU share of normal processes under contention. */
const NICE = 10;

/** Linux limits unprivileged changes of autogroups to one per 100 ms (EAGAIN). */
const AGAIN_MS = 150;
const TRIES = 40;

/**
 * Lowers the CPU priority of a database process below the field thread and interactive queries; best effort. Each backend is a separate
 * session, and Linux autogroups schedule sessions before processes, so both `nice` and the autogroup are set.
 */
export async function lowerPriority(pid: number): Promise<void> {
  try {
    setPriority(pid, NICE);
  } catch {
    // The process has ended, or belongs to another user.
    return;
  }
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(NICE));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return; // as: file operations reject with this type
      await wait(AGAIN_MS, undefined, { ref: false });
    }
  }
}
