/** A new installation reads history for at most this long before its figures count as they are. */
const NEW_FOR_MS = 24 * 3_600_000;
/** A smaller share says nothing about the time that is left. */
const TOLD_FROM = 0.03;
const MINUTE_MS = 60_000;
/** From this share on the history counts as read; the rest are gaps like any other. */
const FILLED_FROM = 0.97;

interface History {
  nowMs: number;
  /** When the first device was stored; null without devices. */
  firstDeviceMs: number | null;
  days: readonly { got: number; expected: number }[];
  meters: { installed: number; active: number };
}

export interface Filling {
  percent: number;
  /** At the pace since the first device was stored; null while too little is read to tell. */
  minutesLeft: number | null;
}

/**
 * What a new installation has read of the week before now; null when it is read, or the installation is not new. A meter becomes
 * active with its first reading and is expected from then on, so the expected values are extrapolated to the installed ones.
 */
export function fillingOf({ nowMs, firstDeviceMs, days, meters }: History): Filling | null {
  if (firstDeviceMs === null || nowMs - firstDeviceMs > NEW_FOR_MS) return null;
  const { got, expected } = days.reduce((sum, day) => ({ got: sum.got + day.got, expected: sum.expected + day.expected }), {
    got: 0,
    expected: 0,
  });
  if (expected === 0) return meters.installed > 0 ? { percent: 0, minutesLeft: null } : null;
  const share = (got / expected) * (meters.active / Math.max(1, meters.active + meters.installed));
  if (share >= FILLED_FROM) return null;
  const minutesLeft = share < TOLD_FROM ? null : Math.ceil(((nowMs - firstDeviceMs) * (FILLED_FROM - share)) / share / MINUTE_MS);
  return { percent: Math.floor(share * 100), minutesLeft };
}
