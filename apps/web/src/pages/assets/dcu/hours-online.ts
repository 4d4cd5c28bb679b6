import { percent } from '#shared/time/number.ts';

export interface OnlineHour {
  startsAt: number;
  minutes: number | null;
  /** Minutes of this hour the DCU was known and that are over. */
  possible: number;
  state: 'unknown' | 'good' | 'gap' | 'off';
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Missing minutes that still count as a full hour: a reconnect. */
const TOLERATED_MINUTES = 5;

/** Minutes online per hour, oldest first, each against what was possible: the first and the running hour are short. */
export function hoursOnline(minutes: (number | null)[], createdAt: number, now: number): OnlineHour[] {
  const current = Math.floor(now / HOUR_MS) * HOUR_MS;
  return minutes.map((value, at) => {
    const startsAt = current - (minutes.length - 1 - at) * HOUR_MS;
    const possible = Math.max(0, Math.min(now, startsAt + HOUR_MS) - Math.max(createdAt, startsAt)) / MINUTE_MS;
    const state = value === null ? 'unknown' : value >= possible - TOLERATED_MINUTES ? 'good' : value > 0 ? 'gap' : 'off';
    return { startsAt, minutes: value, possible, state };
  });
}

/** Share of the possible minutes in per cent. */
export function shareOnline(hours: OnlineHour[]): string | undefined {
  const known = hours.filter((hour) => hour.minutes !== null);
  const possible = known.reduce((sum, hour) => sum + hour.possible, 0);
  return percent(
    Math.min(
      possible,
      known.reduce((sum, hour) => sum + (hour.minutes ?? 0), 0),
    ),
    possible,
    1,
  );
}
