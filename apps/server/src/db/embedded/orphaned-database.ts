import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '#platform/log.ts';

const GRACE_MS = 15_000;
const POLL_MS = 100;

/** A zombie has ended, but its parent has not reaped it; the parent of an orphan may never do so. */
function isZombie(pid: number): boolean {
  return process.platform === 'linux' && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The working directory distinguishes a postmaster from another process that reused its pid. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(cluster);
  } catch {
    // The database runs as a user whose processes are readable here, so an unreadable one is not the postmaster.
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
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    if (!isAlive(pid)) return true;
    await wait(POLL_MS);
  }
  return !isAlive(pid);
}

/** Stops an orphaned database of an earlier run, and removes its stale pid file. */
export async function stopOrphanedDatabase(cluster: string, log: Log): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = postmasterPid(cluster);
  if (pid !== undefined && isPostmasterOf(pid, cluster)) {
    log.warn('Stopping an orphaned database of an earlier run', { pid });
    process.kill(pid, 'SIGINT');
    if (!(await isGone(pid, GRACE_MS))) {
      process.kill(pid, 'SIGQUIT');
      if (!(await isGone(pid, GRACE_MS))) process.kill(pid, 'SIGKILL');
    }
    await isGone(pid, GRACE_MS);
  }
  rmSync(file, { force: true });
}
