import { Zone } from '@hes/contract/schedule/zone.ts';
import { DEVIATION_MINUTES, TIME_ZONE, dayStart, localDay } from './calendar.ts';

/** Local time of device clocks: day boundaries and time stamps. */
export interface LocalTime {
  timeZone: string;
  /** Number of the local calendar day, counted from 1970-01-01. */
  dayOf(atMs: number): number;
  /** Start of a local calendar day, epoch milliseconds. */
  startOf(day: number): number;
  /** UTC minus local time, summer time included. */
  deviationMinutes(atMs: number): number;
  isSummer(atMs: number): boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Fixed offset without summer time: the fast path for every row of every profile. */
const TEST_FLEET_TIME: LocalTime = {
  timeZone: TIME_ZONE,
  dayOf: localDay,
  startOf: dayStart,
  deviationMinutes: () => DEVIATION_MINUTES,
  isSummer: () => false,
};

/** Local time of a zone; default: the zone of the test fleet. */
export function localTimeOf(timeZone: string = TIME_ZONE): LocalTime {
  if (timeZone === TIME_ZONE) return TEST_FLEET_TIME;
  const zone = new Zone(timeZone);
  return {
    timeZone,
    dayOf: (atMs) => zone.dayOf(atMs),
    startOf: (day) => zone.startOf(day),
    deviationMinutes: (atMs) => zone.deviationMinutes(atMs),
    isSummer(atMs) {
      const year = new Date(atMs).getUTCFullYear();
      return zone.offsetMs(atMs) > Math.min(zone.offsetMs(Date.UTC(year, 0, 1)), zone.offsetMs(Date.UTC(year, 6, 1)));
    },
  };
}

/** Delay of the full local hours behind those of UTC, in milliseconds: half an hour in some zones. */
export const hourLeadMs = (local: LocalTime, atMs: number): number =>
  (((local.deviationMinutes(atMs) * MINUTE_MS) % HOUR_MS) + HOUR_MS) % HOUR_MS;
