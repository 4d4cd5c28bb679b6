import type { Context } from '#platform/context.ts';
import { dayNumberOf, Zone } from '#platform/zone.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** The time a card is about. */
export interface Span {
  /** Beginnings of its first and last hour. */
  firstHour: Date;
  lastHour: Date;
  until: Date;
}

/** A local day, as far as it has passed; without one the last 24 hours, the running one last. */
export function spanOf({ clock, settings }: Pick<Context, 'clock' | 'settings'>, date: string | undefined): Span {
  const now = clock.now();
  const runningHour = Math.floor(now / HOUR_MS) * HOUR_MS;
  if (date === undefined)
    return { firstHour: new Date(runningHour - (DAY_HOURS - 1) * HOUR_MS), lastHour: new Date(runningHour), until: new Date(now) };
  const zone = new Zone(settings.timeZone);
  const day = dayNumberOf(date);
  const [begins, ends] = [zone.startOf(day), zone.startOf(day + 1)];
  return {
    firstHour: new Date(begins),
    lastHour: new Date(Math.min(runningHour, ends - HOUR_MS)),
    until: new Date(Math.min(now, ends - 1)),
  };
}
