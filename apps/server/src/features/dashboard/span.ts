import type { LocalHour } from '@hes/contract/schedule/local-day.ts';
import type { Context } from '#db/context.ts';
import { dayNumberOf, Zone } from '@hes/contract/schedule/zone.ts';

const HOURS_SHOWN = 24;

/** The period of a card. */
export interface Span {
  /** Local hours that have begun, oldest first. */
  hours: LocalHour[];
  since: Date;
  until: Date;
}

/** The elapsed part of a local day, or the last 24 local hours including the current one. */
export function spanOf({ clock, settings }: Pick<Context, 'clock' | 'settings'>, date: string | undefined): Span {
  const now = clock.now();
  const zone = new Zone(settings.timeZone);
  if (date === undefined) {
    const hours = zone.hoursUpTo(now, HOURS_SHOWN);
    return { hours, since: new Date(hours[0]?.from ?? now), until: new Date(now) };
  }
  const day = dayNumberOf(date);
  const hours = zone.hoursOf(day).filter(({ from }) => from <= now);
  return { hours, since: new Date(zone.startOf(day)), until: new Date(Math.min(now, zone.startOf(day + 1) - 1)) };
}
