import type { OnlineHour } from '@hes/contract/asset/dcu.ts';
import { percent } from '#core/time/number.ts';

const MINUTE_S = 60;

/** One hour of the strip: seconds per state, and the heights of the bands in percent from the bottom. */
export interface HourBar {
  startsAt: number;
  onlineMinutes: number;
  offlineMinutes: number;
  unknownMinutes: number;
  /** Upper ends of the online and offline bands; the rest is unknown. */
  onlineTo: number;
  offlineTo: number;
}

/** In the current hour only the minutes until `now` can be unknown: the bar is as high as the elapsed share. */
export function hourBars(hours: readonly OnlineHour[], now: number): HourBar[] {
  return hours.map(({ startsAt, onlineSeconds, knownSeconds }, at) => {
    const begins = Date.parse(startsAt);
    const next = hours[at + 1];
    const ends = next === undefined ? now : Date.parse(next.startsAt);
    const passed = Math.max(knownSeconds, Math.min(3600, (ends - begins) / 1000), 1);
    const online = Math.round(onlineSeconds / MINUTE_S);
    const known = Math.round(knownSeconds / MINUTE_S);
    return {
      startsAt: begins,
      onlineMinutes: online,
      offlineMinutes: known - online,
      unknownMinutes: Math.max(0, Math.round(passed / MINUTE_S) - known),
      onlineTo: (100 * onlineSeconds) / passed,
      offlineTo: (100 * knownSeconds) / passed,
    };
  });
}

/** Online share of the known time in percent; undefined if nothing is known. */
export function shareOnline(hours: readonly OnlineHour[]): string | undefined {
  const sum = (of: (hour: OnlineHour) => number) => hours.reduce((all, hour) => all + of(hour), 0);
  return percent(
    sum((hour) => hour.onlineSeconds),
    sum((hour) => hour.knownSeconds),
    1,
  );
}
