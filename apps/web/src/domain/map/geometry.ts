export type LatLng = [latitude: number, longitude: number];

/** Convex hull (monotone chain), counter-clockwise. */
export function hullOf(points: LatLng[]): LatLng[] {
  const sorted = points.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
  if (sorted.length < 3) return sorted;
  const half = (list: LatLng[]): LatLng[] => {
    const chain: LatLng[] = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

const turn = (a: LatLng | undefined, b: LatLng | undefined, c: LatLng): number =>
  a && b ? (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]) : 1;

const ROUND_STEPS = 16;

/** The outline of a district: the convex hull of its points with a rounded margin, in degrees. */
export function districtOf(points: LatLng[], margin: number): LatLng[] {
  const stretch = 1 / Math.cos(((points[0]?.[0] ?? 0) * Math.PI) / 180);
  const around = points.flatMap(([lat, lng]): LatLng[] =>
    Array.from({ length: ROUND_STEPS }, (_, step): LatLng => {
      const angle = (step / ROUND_STEPS) * 2 * Math.PI;
      return [lat + margin * Math.sin(angle), lng + margin * stretch * Math.cos(angle)];
    }),
  );
  return hullOf(around);
}

const NICE_STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const LINES = 64;

/** Positions of the graticule lines within a span of degrees. */
export function graticule(from: number, to: number): number[] {
  const step = NICE_STEPS.find((size) => (to - from) / size <= LINES) ?? 10;
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => Number(((first + at) * step).toFixed(4)));
}

/** A point on the screen, in pixels. */
export interface Spot {
  x: number;
  y: number;
}

export interface Label {
  width: number;
  height: number;
  /** Candidate centres, in order of preference. */
  spots: readonly Spot[];
}

/** An occupied area of the screen. */
export interface Box extends Spot {
  width: number;
  height: number;
}

/** The first free candidate of each label, given the occupied boxes and the labels before it; undefined: none is free. */
export function spotsOf(labels: readonly Label[], there: readonly Box[] = []): (Spot | undefined)[] {
  const taken = [...there];
  return labels.map(({ width, height, spots }) => {
    const isFree = ({ x, y }: Spot) =>
      taken.every((other) => Math.abs(other.x - x) * 2 >= other.width + width || Math.abs(other.y - y) * 2 >= other.height + height);
    const spot = spots.find(isFree);
    if (spot) taken.push({ ...spot, width, height });
    return spot;
  });
}
