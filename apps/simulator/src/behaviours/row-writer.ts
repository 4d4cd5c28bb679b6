import type { ByteWriter } from '@hes/dlms/codec/byte-writer.ts';
import { CLOCK_STATUS, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { DAY_MS } from '#world/calendar.ts';
import type { LocalTime } from '#world/local-time.ts';

// Rows are encoded directly, not through Data: a week of one load profile has 5,000 values, and a fleet reads it continuously.
const NULL = 0x00;
const STRUCTURE = 0x02;
const OCTET_STRING = 0x09;
const DATE_TIME_SIZE = 12;
const MINUTE_MS = 60_000;
const TAGS = { u8: 0x11, u16: 0x12, u32: 0x06, u64: 0x15 } as const;
const U32 = 0x1_0000_0000;
/** A date-time with all optional fields unspecified. @spec BB 4.1.6.1 */
const UNSPECIFIED = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 0, 0xff);

export type Width = keyof typeof TAGS;

export function writeRowHead(out: ByteWriter, columns: number): void {
  out.uint8(STRUCTURE);
  out.length(columns);
}

export function writeNull(out: ByteWriter): void {
  out.uint8(NULL);
}

export function writeOctets(out: ByteWriter, octets: Uint8Array): void {
  out.uint8(OCTET_STRING);
  out.length(octets.length);
  out.bytes(octets);
}

const OCTETS = { u8: 1, u16: 2, u32: 4, u64: 8 } as const;
const ONES = 0xff;

/** Infinity: every bit of the register is set. */
export function writeNumber(out: ByteWriter, width: Width, value: number): void {
  out.uint8(TAGS[width]);
  if (value === Number.POSITIVE_INFINITY) {
    for (let octet = 0; octet < OCTETS[width]; octet++) out.uint8(ONES);
    return;
  }
  if (width === 'u32') return out.uint32(value);
  if (width === 'u16') return out.uint16(value);
  if (width === 'u8') return out.uint8(value);
  out.uint32(Math.floor(value / U32));
  out.uint32(value % U32);
}

/** Writes capture moments in local time, and NaN as an unspecified date-time. Caches the date part per day. */
export function createClockWriter(local: LocalTime): (out: ByteWriter, atMs: number) => void {
  let known = Number.NaN;
  let year = 0;
  let month = 0;
  let date = 0;
  let weekday = 0;
  return (out, atMs) => {
    if (Number.isNaN(atMs)) return writeOctets(out, UNSPECIFIED);
    const day = local.dayOf(atMs);
    if (day !== known) {
      const first = fromEpochMs(day * DAY_MS, 0);
      [year, month, date, weekday] = [first.year ?? 0, first.month ?? 0, first.day ?? 0, first.dayOfWeek ?? 0];
      known = day;
    }
    const deviation = local.deviationMinutes(atMs);
    const seconds = Math.floor((atMs - deviation * MINUTE_MS - day * DAY_MS) / 1000);
    out.uint8(OCTET_STRING);
    out.uint8(DATE_TIME_SIZE);
    out.uint16(year);
    out.uint8(month);
    out.uint8(date);
    out.uint8(weekday);
    out.uint8(Math.floor(seconds / 3600));
    out.uint8(Math.floor(seconds / 60) % 60);
    out.uint8(seconds % 60);
    out.uint8(0);
    out.int16(deviation);
    out.uint8(local.isSummer(atMs) ? CLOCK_STATUS.daylightSaving : 0);
  };
}
