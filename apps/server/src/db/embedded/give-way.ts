import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** As `nice` counts: a ninth of what others get of a processor that everybody wants. */
const NICE = 10;

/** The system lets an ordinary user change one session in a tenth of a second. */
const AGAIN_MS = 150;
const TRIES = 40;

/**
 * Has a process of the built-in database give way where processors are short: to the head-end's thread, which talks to every meter, and
 * to what an operator waits for. It has to be said twice. Each process of the database is a session of its own, and Linux may share
 * processors between sessions before it does so between processes; then `nice` alone changes nothing, and the session has to be told.
 * Where either cannot be said, all works as without.
 */
export async function giveWay(pid: number): Promise<void> {
  try {
    setPriority(pid, NICE);
  } catch {
    // It is gone, or not ours.
    return;
  }
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(NICE));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return; // as: files fail with nothing else
      await wait(AGAIN_MS, undefined, { ref: false });
    }
  }
}
