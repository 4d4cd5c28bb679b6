/** A new installation reads history for at most this long before its figures count as they are. */
const NEW_FOR_MS = 24 * 3_600_000;
/** From this share on the history counts as read; the rest are gaps like any other. */
const FILLED_FROM = 0.97;

interface History {
  nowMs: number;
  /** When the first device was stored; null without devices. */
  firstDeviceMs: number | null;
  days: readonly { got: number; expected: number }[];
  meters: { installed: number; active: number };
}

/**
 * Percentage of the week before now that a new installation has read; null when it is read, or the installation is not new. A meter becomes
 * active with its first reading and is expected from then on, so the expected values are extrapolated to the installed ones.
 */
export function fillingPercent({ nowMs, firstDeviceMs, days, meters }: History): number | null {
  if (firstDeviceMs === null || nowMs - firstDeviceMs > NEW_FOR_MS) return null;
  const { got, expected } = days.reduce((sum, day) => ({ got: sum.got + day.got, expected: sum.expected + day.expected }), {
    got: 0,
    expected: 0,
  });
  if (expected === 0) return meters.installed > 0 ? 0 : null;
  const share = (got / expected) * (meters.active / Math.max(1, meters.active + meters.installed));
  return share >= FILLED_FROM ? null : Math.floor(share * 100);
}
