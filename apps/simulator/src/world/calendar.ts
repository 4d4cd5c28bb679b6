/** The test fleet uses Asia/Shanghai, which has had no summer time since 1991: a fixed offset is exact. */
export const TIME_ZONE = 'Asia/Shanghai';
/** Deviation that meters of the test fleet write into a date-time: UTC = local + deviation. */
export const DEVIATION_MINUTES = -480;

export const DAY_MS = 86_400_000;
export const SLOT_MS = 900_000;
export const SLOTS_PER_DAY = 96;
const OFFSET_MS = 8 * 3_600_000;

/** Number of the local calendar day, counted from 1970-01-01. */
export function localDay(epochMs: number): number {
  return Math.floor((epochMs + OFFSET_MS) / DAY_MS);
}

/** Local midnight at which the day begins. */
export function dayStart(day: number): number {
  return day * DAY_MS - OFFSET_MS;
}

/** Months since January 1970 of a local calendar day. */
export function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** First local calendar day of a month. */
export function firstDayOf(month: number): number {
  return Date.UTC(1970, month, 1) / DAY_MS;
}

/** Monday is 0. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Number of the week, Monday to Sunday. */
export function weekOf(day: number): number {
  return Math.floor((day + 3) / 7);
}

/** The local calendar day of `YYYY-MM-DD`; undefined if the text has another form. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / DAY_MS;
}

/** `YYYY-MM-DD` of a local calendar day. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** In the order of register numbers 1 to 4. */
export const TARIFFS = ['sharp', 'peak', 'flat', 'valley'] as const;
export const TARIFF_COUNT = TARIFFS.length;

const TARIFF_HOURS: readonly [fromHour: number, toHour: number, tariff: (typeof TARIFFS)[number]][] = [
  [0, 6, 'valley'],
  [6, 8, 'flat'],
  [8, 11, 'peak'],
  [11, 17, 'flat'],
  [17, 19, 'peak'],
  [19, 21, 'sharp'],
  [21, 23, 'flat'],
  [23, 24, 'valley'],
];

/** Index (0 to 3) of the tariff in force during each quarter-hour of a local day. */
export const TARIFF_OF_SLOT: Uint8Array = Uint8Array.from({ length: SLOTS_PER_DAY }, (_, slot) => {
  const hour = slot / 4;
  const period = TARIFF_HOURS.find(([from, to]) => hour >= from && hour < to);
  return TARIFFS.indexOf(period?.[2] ?? 'flat');
});
