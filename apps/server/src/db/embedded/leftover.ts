import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '#platform/log.ts';

const GRACE_MS = 15_000;
const LOOK_MS = 100;

/** A zombie has ended: only its parent has not asked yet, which an orphan's may never do. */
function isZombie(pid: number): boolean {
  return process.platform === 'linux' && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A postmaster works in its data folder: a process that was given the same number later does not. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(cluster);
  } catch {
    // Not ours to look at, so not ours: the database runs as a user whose processes we may see.
    return false;
  }
}

function postmasterPid(cluster: string): number | undefined {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += LOOK_MS) {
    if (!isAlive(pid)) return true;
    await wait(LOOK_MS);
  }
  return !isAlive(pid);
}

/** Ends a database that outlived its server, and clears the file that a crash left behind. */
export async function clearLeftover(cluster: string, log: Log): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = postmasterPid(cluster);
  if (pid !== undefined && isPostmasterOf(pid, cluster)) {
    log.warn('A database of an earlier run is still there: stopping it', { pid });
    process.kill(pid, 'SIGINT');
    if (!(await isGone(pid, GRACE_MS))) {
      process.kill(pid, 'SIGQUIT');
      if (!(await isGone(pid, GRACE_MS))) process.kill(pid, 'SIGKILL');
    }
    await isGone(pid, GRACE_MS);
  }
  rmSync(file, { force: true });
}
