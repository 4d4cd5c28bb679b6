import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { CLOCK_STATUS, fromEpochMs, toEpochMs, type CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import type { DeviceLink } from '#field/link.ts';
import { decodeOptional } from '#field/operations/decode-optional.ts';

/** A clock, as it was at one moment of ours. */
export interface ClockReading {
  /** As the device wrote it: local time and offset. */
  deviceTime: string;
  /** Ahead of ours is positive; null: what it said is no time. */
  deviationMs: number | null;
  /** Half of it is what the deviation may be wrong by. */
  roundTripMs: number;
  readAt: number;
  zoneMinutes: number | null;
  status: number | null;
  clockBase: string | null;
  hasDaylightSaving: boolean | null;
}

const CLOCK = { classId: clock.id, instance: WELL_KNOWN.CLOCK.instance };
/** shift_time takes no more. @spec BB 4 */
export const MAX_SHIFT_S = 900;

const two = (value: number | null): string => (value === null ? '??' : String(value).padStart(2, '0'));

/** `2026-03-29 03:15:00 +02:00`, with question marks where the device did not say. */
export function clockText(time: CosemDateTime): string {
  const { year, month, day, hour, minute, second, deviationMinutes } = time;
  const date = `${year === null ? '????' : String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const base = `${date} ${two(hour)}:${two(minute)}:${two(second)}`;
  if (deviationMinutes === null) return base;
  // COSEM counts from local time to UTC, people from UTC to local time.
  const ahead = Math.abs(deviationMinutes);
  return `${base} ${deviationMinutes > 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

interface Session {
  link: DeviceLink;
  now(): number;
  /** Of our zone at this moment, for clocks that do not say their deviation. */
  deviationMinutes: number;
}

/** Reads the time, and half the round trip later than it was asked compares it with ours. */
export async function readClock({ link, now, deviationMinutes }: Session): Promise<Outcome<ClockReading & { raw: CosemDateTime }>> {
  const { time } = clock.attributes;
  const read = await link.get({ ...CLOCK, attributeId: time.id });
  if (!read.ok) return read;
  const readAt = now();
  const roundTripMs = Math.round(link.roundTripMs);
  try {
    const raw = decode(time.codec, read.value);
    const at = toEpochMs(raw, deviationMinutes);
    return ok({
      raw,
      deviceTime: clockText(raw),
      deviationMs: at === null ? null : Math.round(at - (readAt - roundTripMs / 2)),
      roundTripMs,
      readAt,
      zoneMinutes: raw.deviationMinutes,
      status: raw.status,
      clockBase: null,
      hasDaylightSaving: null,
    });
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

/** Zone, status and base of the clock; a device that lacks one of them is no worse for it. */
export async function describeClock(
  link: DeviceLink,
): Promise<Outcome<Pick<ClockReading, 'zoneMinutes' | 'clockBase' | 'hasDaylightSaving'> & { status: number | null }>> {
  const { timeZone, status, daylightSavingsEnabled, clockBase } = clock.attributes;
  const read = await link.getList([timeZone, status, daylightSavingsEnabled, clockBase].map(({ id }) => ({ ...CLOCK, attributeId: id })));
  if (!read.ok) return read;
  const [zone, bits, saving, base] = read.value;
  return ok({
    zoneMinutes: decodeOptional(zone, timeZone.codec),
    status: decodeOptional(bits, status.codec),
    hasDaylightSaving: decodeOptional(saving, daylightSavingsEnabled.codec),
    clockBase: decodeOptional(base, clockBase.codec),
  });
}

/** Gives the clock our time, ahead by half a round trip, because that is when it will arrive. */
export function setClock({ link, now, deviationMinutes }: Session, raw: CosemDateTime, roundTripMs: number): Promise<Outcome<void>> {
  const { time } = clock.attributes;
  // The device keeps its own zone; where it says none, it lives in ours.
  const zone = raw.deviationMinutes ?? deviationMinutes;
  const daylightSaving = ((raw.status ?? 0) & CLOCK_STATUS.daylightSaving) !== 0;
  return link.set({ ...CLOCK, attributeId: time.id }, encode(time.codec, fromEpochMs(now() + roundTripMs / 2, zone, { daylightSaving })));
}

export async function shiftClock(link: DeviceLink, seconds: number): Promise<Outcome<void>> {
  const { shiftTime } = clock.methods;
  const invoked = await link.invoke({ ...CLOCK, methodId: shiftTime.id }, encode(shiftTime.argument, seconds));
  return invoked.ok ? ok(undefined) : invoked;
}
