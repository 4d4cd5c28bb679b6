import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_S = 100;

interface Times {
  parent: number;
  ownS: number;
  /** Of children that have ended. */
  childrenS: number;
}

/** Processor times of a process; undefined: it has ended. @spec proc_pid_stat(5) */
function timesOf(pid: number): Times | undefined {
  try {
    // The name may hold spaces; what follows it does not.
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(/\) (?=[A-Z] )/);
    const [, parent, , , , , , , , , , user, system, childrenUser, childrenSystem] = fields.join('').split(' ').map(Number);
    return {
      parent: parent ?? 0,
      ownS: ((user ?? 0) + (system ?? 0)) / TICKS_PER_S,
      childrenS: ((childrenUser ?? 0) + (childrenSystem ?? 0)) / TICKS_PER_S,
    };
  } catch {
    return undefined;
  }
}

/** Seconds of processor time that a process has used. */
export const processorSeconds = (pid: number): number => timesOf(pid)?.ownS ?? 0;

/** Seconds of processor time that a process and all its children have used, also those that have ended. */
export function processorSecondsOfTree(pid: number): number {
  const own = timesOf(pid);
  if (own === undefined) return 0;
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const living = pids.map(timesOf).filter((times) => times?.parent === pid);
  return own.ownS + own.childrenS + living.reduce((sum, times) => sum + (times?.ownS ?? 0), 0);
}
