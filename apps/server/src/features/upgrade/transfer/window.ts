import type { Zone } from '@hes/contract/schedule/zone.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

/** Local times of day, `HH:MM`. */
export interface DayWindow {
  from: string;
  to: string;
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/** Whether the window is open at `now`. A window that ends before it begins spans midnight. */
export function isOpen(window: DayWindow | null, now: number, zone: Zone): boolean {
  if (window === null) return true;
  const local = Math.floor((now + zone.offsetMs(now)) / MINUTE_MS) % DAY_MINUTES;
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  return from < to ? local >= from && local < to : local >= from || local < to;
}
