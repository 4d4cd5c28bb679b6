import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { CLOCK_STATUS, fromEpochMs, toEpochMs, type CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import { valueOrNull } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';

/** A reading of a clock at one moment of the HES clock. */
export interface ClockReading {
  /** Local time and offset as the device sent them. */
  deviceTime: string;
  /** Positive when the device is ahead of the HES; null when the response is no valid time. */
  deviationMs: number | null;
  /** The deviation is uncertain by half of it. */
  roundTripMs: number;
  readAt: number;
  zoneMinutes: number | null;
  status: number | null;
  clockBase: string | null;
  hasDaylightSaving: boolean | null;
}

const { CLOCK } = WELL_KNOWN;
/** Limit of shift_time in seconds. @spec BB 4 */
export const MAX_SHIFT_S = 900;

const two = (value: number | null): string => (value === null ? '??' : String(value).padStart(2, '0'));

/** `2026-03-29 03:15:00 +02:00`, with question marks for unspecified fields. */
function clockText(time: CosemDateTime): string {
  const { year, month, day, hour, minute, second, deviationMinutes } = time;
  const date = `${year === null ? '????' : String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  const base = `${date} ${two(hour)}:${two(minute)}:${two(second)}`;
  if (deviationMinutes === null) return base;
  // The sign of a COSEM deviation is opposite to that of an ISO offset.
  const ahead = Math.abs(deviationMinutes);
  return `${base} ${deviationMinutes > 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

interface Session {
  link: DeviceLink;
  now(): number;
  /** Deviation of the utility's zone at this moment, for clocks that do not specify theirs. */
  deviationMinutes: number;
}

/** Reads the time and compares it with the HES clock at half of the round trip. */
export async function readClock({ link, now, deviationMinutes }: Session): Promise<Outcome<ClockReading & { raw: CosemDateTime }>> {
  const read = await link.read(CLOCK, 'time');
  if (!read.ok) return read;
  const readAt = now();
  const roundTripMs = Math.round(link.roundTripMs);
  const { value: raw } = read;
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
}

/** Reads zone, status and base of the clock; missing attributes stay undefined. */
export async function describeClock(
  link: DeviceLink,
): Promise<Outcome<Pick<ClockReading, 'zoneMinutes' | 'clockBase' | 'hasDaylightSaving'> & { status: number | null }>> {
  const read = await link.readList(CLOCK, ['timeZone', 'status', 'daylightSavingsEnabled', 'clockBase']);
  if (!read.ok) return read;
  const { timeZone, status, daylightSavingsEnabled, clockBase } = read.value;
  return ok({
    zoneMinutes: valueOrNull(timeZone),
    status: valueOrNull(status),
    hasDaylightSaving: valueOrNull(daylightSavingsEnabled),
    clockBase: valueOrNull(clockBase),
  });
}

/** Sets the clock to the HES time plus half a round trip, the expected time of arrival. */
export function setClock({ link, now, deviationMinutes }: Session, raw: CosemDateTime, roundTripMs: number): Promise<Outcome<void>> {
  // The device keeps its zone; an unspecified zone is taken as the utility's.
  const zone = raw.deviationMinutes ?? deviationMinutes;
  const daylightSaving = ((raw.status ?? 0) & CLOCK_STATUS.daylightSaving) !== 0;
  return link.write(CLOCK, 'time', fromEpochMs(now() + roundTripMs / 2, zone, { daylightSaving }));
}

export const shiftClock = (link: DeviceLink, seconds: number): Promise<Outcome<void>> => link.invoke(CLOCK, 'shiftTime', seconds);
