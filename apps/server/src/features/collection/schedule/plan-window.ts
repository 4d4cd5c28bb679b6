import { nextRun } from '#tasks/schedule.ts';

/** When the work of a run may begin and must have begun. */
export interface WorkWindow {
  opensAt: number;
  closesAt: number;
}

/** A time of day as a schedule of every day. */
const daily = (time: string): string => {
  const [hour = '0', minute = '0'] = time.split(':');
  return `0 ${Number(minute)} ${Number(hour)} * * ? *`;
};

/**
 * The window that is open, or else the next one; a window may cross midnight. It is open when its end comes before its
 * next beginning.
 */
export function windowAt(now: number, from: string, to: string, timeZone: string): WorkWindow {
  const opens = nextRun(daily(from), now - 1, timeZone) ?? now;
  const closes = nextRun(daily(to), now, timeZone) ?? now;
  if (closes < opens) return { opensAt: now, closesAt: closes };
  return { opensAt: opens, closesAt: nextRun(daily(to), opens, timeZone) ?? opens };
}
