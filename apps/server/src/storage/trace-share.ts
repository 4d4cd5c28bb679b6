/** A version 7 UUID begins with 48 bits of epoch milliseconds (RFC 9562, 5.7). */
const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{4}([0-9a-f]{8})$/i;
const HEX = 16;
const RANGE = 2 ** 32;

/** When the dialogue of a trace began, in epoch milliseconds; undefined: the id is not that of a trace. */
export function beginOfTrace(id: string): number | undefined {
  const [, high = '', low = ''] = UUID_V7.exec(id) ?? [];
  return high === '' ? undefined : Number.parseInt(high + low, HEX);
}

/**
 * Whether the frames of routine collection are kept, by the random bits of the id: every node and every later question agree.
 *
 * @param sharePercent 0: none, 100: all
 */
export function isInShare(id: string, sharePercent: number): boolean {
  const random = Number.parseInt(UUID_V7.exec(id)?.[3] ?? '', HEX);
  return Number.isNaN(random) || random < (sharePercent / 100) * RANGE;
}
