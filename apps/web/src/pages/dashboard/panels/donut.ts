import { FRESHNESS, FRESHNESS_ORDER } from '#domain/states/tables.ts';
import type { Place } from '#pages/dashboard/use-summary.ts';

const RING = 42;
const SMALLEST = 28;
const LARGEST = 46;

/** Diameter in design pixels; the area is proportional to the number of meters. */
export const donutSize = (meters: number, most: number): number =>
  Math.round(SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(meters / Math.max(1, most)));

/** Four digits fit into a ring. */
const shortly = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`);

/** A ring of freshness shares around the count. Contains only numbers and constants, hence safe as markup. */
export function donutSvg(place: Place): string {
  const total = FRESHNESS_ORDER.reduce((sum, key) => sum + place.freshness[key], 0);
  let offset = 25;
  const arcs = FRESHNESS_ORDER.map((key) => {
    const share = total > 0 ? (place.freshness[key] / total) * 100 : key === 'none' ? 100 : 0;
    if (share === 0) return '';
    const dash = key === 'none' && share === 100 ? '2.2 2.2' : `${Math.max(share, 2)} ${100 - Math.max(share, 2)}`;
    const arc = `<circle cx="21" cy="21" r="15.9155" fill="none" stroke="var(--${FRESHNESS[key].tone}-solid)" stroke-width="5" stroke-dasharray="${dash}" stroke-dashoffset="${offset}"/>`;
    offset = (offset - share + 100) % 100;
    return arc;
  }).join('');
  return (
    `<svg width="100%" height="100%" viewBox="0 0 ${RING} ${RING}" aria-hidden="true">` +
    `<circle cx="21" cy="21" r="20" fill="var(--surface)"/>${arcs}` +
    `<text x="21" y="21.5" text-anchor="middle" dominant-baseline="central" font-size="11" font-weight="600" fill="var(--text)">${shortly(place.meters)}</text></svg>`
  );
}
