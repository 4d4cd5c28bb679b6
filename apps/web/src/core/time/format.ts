import type { Locale } from '@hes/contract/core/text.ts';
import { offsetText } from '@hes/contract/core/unit.ts';
import { instantOfLocal, isRepeated, startOfLocalDay } from '@hes/contract/schedule/local-day.ts';
import { offsetsOf } from '@hes/contract/schedule/zone.ts';
import { create } from 'zustand';

/** The utility's time zone (public settings) and the offset of the server clock from this computer's. */
export const useServerTime = create<{ timeZone: string; offsetMs: number }>()(() => ({ timeZone: 'UTC', offsetMs: 0 }));

export const serverNow = (): number => Date.now() + useServerTime.getState().offsetMs;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function partsOf(at: string | number | Date): Record<string, string> {
  const formatter = formatterFor(useServerTime.getState().timeZone);
  return Object.fromEntries(formatter.formatToParts(new Date(at)).map((part) => [part.type, part.value]));
}

/** `2026-11-21 13:40:10` in the utility's zone. */
export function dateTime(at: string | number | Date): string {
  const p = partsOf(at);
  return `${p['year']}-${p['month']}-${p['day']} ${p['hour']}:${p['minute']}:${p['second']}`;
}

/** `2026-11-21` in the utility's zone. */
export const localDay = (at: string | number | Date): string => dateTime(at).slice(0, 10);
/** `13:40:10` */
export const clockTime = (at: string | number | Date): string => dateTime(at).slice(11);
/** `13:40` */
export const hourMinute = (at: string | number | Date): string => dateTime(at).slice(11, 16);
/** Clock time with milliseconds, for frames: `13:40:10.123`. */
export const preciseTime = (at: string): string => `${clockTime(at)}.${String(new Date(at).getTime() % 1000).padStart(3, '0')}`;

const DAY_MS = 86_400_000;

/** Adds days to a calendar day; negative numbers subtract. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
/** Number of days in a range, both ends included. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1;

const UNITS = { second: 's', minute: 'min', hour: 'h', day: 'd' } as const;

const inUnit = (value: number, unit: keyof typeof UNITS, locale: Locale): string =>
  locale === 'zh-CN'
    ? new Intl.NumberFormat('zh-CN', { style: 'unit', unit, useGrouping: false }).format(value)
    : `${value} ${UNITS[unit]}`;

/** The age of an instant: `24 s`, `25 min`, `3 h`, `2 d`; Chinese has its own units. */
export function ageOf(at: string | number | Date, now: number, locale: Locale): string {
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1000));
  if (seconds < 60) return inUnit(seconds, 'second', locale);
  if (seconds < 3600) return inUnit(Math.floor(seconds / 60), 'minute', locale);
  if (seconds < 172_800) return inUnit(Math.floor(seconds / 3600), 'hour', locale);
  return inUnit(Math.floor(seconds / 86_400), 'day', locale);
}

/** A duration as `1:40` or `1:02:03`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${hours > 0 ? pad(Math.floor(seconds / 60) % 60) : Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

const offsetOfUtility = () => offsetsOf(useServerTime.getState().timeZone);

/** UTC offset of the local time at an instant, in milliseconds. */
export const offsetMsOf = (at: string | number | Date): number => offsetOfUtility()(new Date(at).getTime());

/** The instant at which a day (`2026-11-21`) begins in the utility's zone. */
export const startOfDay = (day: string): string =>
  new Date(startOfLocalDay(offsetOfUtility(), Date.parse(`${day}T00:00:00Z`) / DAY_MS)).toISOString();

/** The instant of a local time of the utility, `2026-11-21 13:40` or `2026-11-21T13:40`; undefined for an invalid text. */
export function instantOf(text: string): string | undefined {
  const local = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(local) ? undefined : new Date(instantOfLocal(offsetOfUtility(), local)).toISOString();
}

/** `13:40`. The second of two hours with the same name includes the UTC offset: `02:15 +01:00`. */
export function wallTime(at: number): string {
  const offset = offsetOfUtility();
  return isRepeated(offset, at) ? `${hourMinute(at)} ${offsetText(offset(at))}` : hourMinute(at);
}
