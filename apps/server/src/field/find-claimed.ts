import type { Pool } from 'pg';
import { isNameOf } from './device-name.ts';
import type { Claim } from './identification.ts';
import { findEndpointsBySn, findEndpointsByTitle, type EndpointRow } from './queries.ts';

/** Logical device names end with the serial number, which has at least this length. */
const SHORTEST_SERIAL = 6;

/** Serial numbers that the names of a claim may end with. A greeting names the serial number itself. */
function serialsOf({ names, isGreeting }: Claim): string[] {
  if (isGreeting) return [...names];
  return names.flatMap((name) => {
    const upper = name.toUpperCase();
    return Array.from({ length: Math.max(0, upper.length - SHORTEST_SERIAL + 1) }, (_none, start) => upper.slice(start));
  });
}

const longestFirst = (a: EndpointRow, b: EndpointRow): number => b.sn.length - a.sn.length;

/** Endpoints in the order of the claims; undefined: none matches, or more than one. */
export async function findClaimed(pool: Pool, claims: readonly Claim[]): Promise<(EndpointRow | undefined)[]> {
  const serials = [...new Set(claims.flatMap(serialsOf))];
  const titles = claims.flatMap(({ names, systemTitle }) => (names.length === 0 && systemTitle !== undefined ? [systemTitle] : []));
  const [bySerial, byTitle] = await Promise.all([
    serials.length === 0 ? [] : findEndpointsBySn(pool, serials),
    titles.length === 0 ? [] : findEndpointsByTitle(pool, titles),
  ]);
  const named = new Map(bySerial.flatMap((row) => (row === undefined ? [] : [[row.sn, row] as const])));
  return claims.map((claim) => {
    const { names, systemTitle, isGreeting } = claim;
    if (isGreeting) return named.get(names[0] ?? '');
    if (names.length === 0) {
      const titled = byTitle.filter((row) => row.systemTitle !== null && Buffer.compare(row.systemTitle, systemTitle ?? Buffer.of()) === 0);
      return titled.length === 1 ? titled[0] : undefined;
    }
    const found = serialsOf(claim).flatMap((serial) => named.get(serial) ?? []);
    return found.toSorted(longestFirst).find(({ sn }) => names.some((name) => isNameOf(name, sn)));
  });
}
