import { DAY_MS } from './calendar.ts';

const QUARTER_MS = 900_000;
const REMEMBERED = 20_000;

const zones = new Map<string, (at: number) => number>();

/** UTC offset in milliseconds at an instant. Zones change offsets at full quarters of an hour only. */
export function offsetsOf(timeZone: string): (at: number) => number {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsets = new Map<number, number>();
  const offsetMs = (at: number): number => {
    const key = Math.floor(at / QUARTER_MS);
    const remembered = offsets.get(key);
    if (remembered !== undefined) return remembered;
    const second = key * QUARTER_MS;
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(second)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, s) - second;
    if (offsets.size > REMEMBERED) offsets.clear();
    offsets.set(key, offset);
    return offset;
  };
  zones.set(timeZone, offsetMs);
  return offsetMs;
}

/** A stretch of time with a constant UTC offset. */
export interface Stretch {
  /** Epoch milliseconds; `to` is exclusive. */
  from: number;
  to: number;
  offsetMs: number;
  /** Offset before `from` if the stretch starts with a change. */
  before: number | undefined;
}

/**
 * Stretches from `from` on, each a day or longer: the stretch after a change lasts at least a day, so that it contains
 * the repeated times completely. A zone changes at most once a day.
 */
export function stretchesOf(offset: (at: number) => number, from: number): Stretch[] {
  const to = from + DAY_MS;
  const first = offset(from);
  const last = offset(to);
  if (first === last) return [{ from, to, offsetMs: first, before: undefined }];
  let low = Math.floor(from / QUARTER_MS);
  let high = Math.ceil(to / QUARTER_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle * QUARTER_MS) === first) low = middle;
    else high = middle;
  }
  const change = high * QUARTER_MS;
  return [
    { from, to: change, offsetMs: first, before: undefined },
    { from: change, to: change + DAY_MS, offsetMs: last, before: first },
  ];
}
