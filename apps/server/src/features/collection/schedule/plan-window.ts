import { parseSchedule, type Schedule } from '@hes/contract/schedule/expression.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';

/** The span in which the work of a run may begin, in epoch milliseconds. */
export interface WorkWindow {
  opensAt: number;
  closesAt: number;
}

/** The daily schedule of a time of day. */
const daily = (time: string): Schedule => {
  const [hour = '0', minute = '0'] = time.split(':');
  return parseSchedule(`0 ${Number(minute)} ${Number(hour)} * * ? *`);
};

/** The open window, or else the next one; a window may cross midnight. A window is open when it closes before it opens next. */
export function windowAt(now: number, from: string, to: string, timeZone: string): WorkWindow {
  const opens = nextRun(daily(from), now - 1, timeZone) ?? now;
  const closes = nextRun(daily(to), now, timeZone) ?? now;
  if (closes < opens) return { opensAt: now, closesAt: closes };
  return { opensAt: opens, closesAt: nextRun(daily(to), opens, timeZone) ?? opens };
}
