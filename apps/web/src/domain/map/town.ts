import type { LatLng } from './geometry.ts';

/** Streets, river and parks of an invented town, in degrees. Derived from its places alone: equal places give equal streets. */
export interface Town {
  /** From bank to bank it is `RIVER_M` wide. */
  river: LatLng[];
  mainRoads: LatLng[][];
  streets: LatLng[][];
  parks: LatLng[][];
}

export interface TownPlace {
  longitude: number;
  latitude: number;
  /** Places of one quarter share its grid of streets. */
  quarter: string;
}

/** East and north of the middle of the town, metres. */
type Point = readonly [east: number, north: number];

export const RIVER_M = 110;
const METRES_PER_DEGREE = 111_320;
const BLOCK_M = 130;
/** Streets reach this far around a place. */
const BUILT_UP_M = 540;
const MARGIN_M = 1600;
/** River and roads leave the town this far, so that they end in no wide window. */
const FAR_M = 20_000;
const SLOPE = 0.12;
const SMOOTHINGS = 3;

/** A number in [0, 1) of a text: FNV-1a, so that a town does not depend on the order of its places. */
function unitOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 0x1_0000_0000;
}

const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
const mean = (points: readonly Point[]): Point => [
  points.reduce((sum, [east]) => sum + east, 0) / points.length,
  points.reduce((sum, [, north]) => sum + north, 0) / points.length,
];

/** Cuts the corners of a line (Chaikin); its ends stay. */
function smooth(line: readonly Point[], times = SMOOTHINGS): Point[] {
  if (times === 0 || line.length < 3) return [...line];
  const cut = line.slice(1).flatMap((to, at): Point[] => {
    const from = line[at] ?? to;
    const between = (share: number): Point => [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
    return [between(0.25), between(0.75)];
  });
  return smooth([line[0] ?? [0, 0], ...cut, line.at(-1) ?? [0, 0]], times - 1);
}

const COLUMNS = 28;
const ROWS = 28;
const BEND = 900;
/** Deviation of the winding line from the middle, as a share of the height, and columns of a radian of it. */
const MEANDER = 0.13;
const MEANDER_COLUMNS = 2.6;
const PULL = 30;
/** Distance from a place at which the river is welcome. */
const BANK_M = 330;

/** The way of least cost from the western to the eastern edge: far from all places, with few bends. */
function riverOf(points: readonly Point[], { west, east, south, north }: Box): Point[] {
  const at = (column: number, row: number): Point => [
    west + ((east - west) * column) / (COLUMNS - 1),
    south + ((north - south) * row) / (ROWS - 1),
  ];
  // A winding line through the middle attracts it.
  const costAt = (column: number, row: number): number => {
    const here = at(column, row);
    const near = points.reduce((least, point) => Math.min(least, distance(here, point)), Infinity);
    return Math.max(0, BANK_M - near) ** 2 / BEND + Math.abs(row / (ROWS - 1) - 0.5 - MEANDER * Math.sin(column / MEANDER_COLUMNS)) * PULL;
  };
  let cost = Array.from({ length: ROWS }, (_, row) => costAt(0, row));
  const from: number[][] = [];
  for (let column = 1; column < COLUMNS; column++) {
    const before = cost;
    const came: number[] = [];
    cost = Array.from({ length: ROWS }, (_, row) => {
      let best = row;
      for (const other of [row - 1, row + 1]) if ((before[other] ?? Infinity) + 2 < (before[best] ?? Infinity)) best = other;
      came[row] = best;
      return (before[best] ?? 0) + (best === row ? 0 : 2) + costAt(column, row);
    });
    from.push(came);
  }
  let row = cost.indexOf(Math.min(...cost));
  const line: Point[] = [at(COLUMNS - 1, row)];
  for (let column = COLUMNS - 1; column > 0; column--) {
    row = from[column - 1]?.[row] ?? row;
    line.unshift(at(column - 1, row));
  }
  const [first, last] = [line[0] ?? at(0, 0), line.at(-1) ?? at(0, 0)];
  return smooth([[west - FAR_M, first[1] + FAR_M * SLOPE], ...line, [east + FAR_M, last[1] - FAR_M * SLOPE]]);
}

interface Box {
  west: number;
  east: number;
  south: number;
  north: number;
}

/** Parts of a straight line that lie within `BUILT_UP_M` of one of the points, as spans along it. */
function builtUp(points: readonly Point[], origin: Point, [dx, dy]: Point): [number, number][] {
  const spans = points.flatMap(([east, north]): [number, number][] => {
    const [x, y] = [east - origin[0], north - origin[1]];
    const along = x * dx + y * dy;
    const half = Math.sqrt(Math.max(0, BUILT_UP_M ** 2 - (x * dy - y * dx) ** 2));
    // Ends lie on crossings.
    return half < BLOCK_M ? [] : [[Math.round((along - half) / BLOCK_M) * BLOCK_M, Math.round((along + half) / BLOCK_M) * BLOCK_M]];
  });
  const joined: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The grid of streets of a quarter, turned by an angle of its own, and one block of it as a park. */
function quarterOf(name: string, points: readonly Point[]): { streets: Point[][]; park: Point[] } {
  const centre = mean(points);
  const angle = (unitOf(name) - 0.5) * 0.9;
  const along: Point = [Math.cos(angle), Math.sin(angle)];
  const across: Point = [-along[1], along[0]];
  const reach = Math.ceil((points.reduce((most, point) => Math.max(most, distance(centre, point)), 0) + BUILT_UP_M) / BLOCK_M);
  const from = (a: number, b: number): Point => [centre[0] + along[0] * a + across[0] * b, centre[1] + along[1] * a + across[1] * b];
  const streets: Point[][] = [];
  for (let line = -reach; line <= reach; line++) {
    for (const [begin, end] of builtUp(points, from(0, line * BLOCK_M), along))
      streets.push([from(begin, line * BLOCK_M), from(end, line * BLOCK_M)]);
    // Blocks are longer than wide: every second street across is left out.
    if (line % 2 !== 0) continue;
    for (const [begin, end] of builtUp(points, from(line * BLOCK_M, 0), across))
      streets.push([from(line * BLOCK_M, begin), from(line * BLOCK_M, end)]);
  }
  const [a, b] = [2 * Math.floor((unitOf(`${name}/a`) - 0.5) * 2), Math.floor((unitOf(`${name}/b`) - 0.5) * 4)];
  const corner = (right: number, up: number) => from((a + right) * BLOCK_M, (b + up) * BLOCK_M);
  return { streets, park: [corner(0, 0), corner(2, 0), corner(2, 1), corner(0, 1)] };
}

/** Roads between neighbouring quarters: each is connected to the nearest one that already is, beginning with the first. */
function roadsOf(centres: readonly Point[], { west, east, south, north }: Box): Point[][] {
  const [first, ...left] = centres;
  if (first === undefined) return [];
  const joined = [first];
  const roads: Point[][] = [];
  while (left.length > 0) {
    const pairs = left.flatMap((to) => joined.map((from) => ({ from, to, length: distance(from, to) })));
    const { from, to } = pairs.reduce((best, pair) => (pair.length < best.length ? pair : best));
    const bend = (unitOf(`${Math.round(to[0])}/${Math.round(to[1])}`) - 0.5) * 0.3;
    const middle: Point = [(from[0] + to[0]) / 2 - (to[1] - from[1]) * bend, (from[1] + to[1]) / 2 + (to[0] - from[0]) * bend];
    roads.push(smooth([from, middle, to]));
    joined.push(to);
    left.splice(left.indexOf(to), 1);
  }
  const extreme = (of: (point: Point) => number) => centres.reduce((best, point) => (of(point) > of(best) ? point : best));
  const out = (inner: Point, outer: Point): Point[] => smooth([inner, [(inner[0] + outer[0]) / 2, inner[1]], outer]);
  const [w, e, s, n] = [extreme(([x]) => -x), extreme(([x]) => x), extreme(([, y]) => -y), extreme(([, y]) => y)];
  return [
    ...roads,
    out(w, [west - FAR_M, w[1] - FAR_M * SLOPE]),
    out(e, [east + FAR_M, e[1] + FAR_M * SLOPE]),
    smooth([s, [s[0], south - FAR_M]]),
    smooth([n, [n[0], north + FAR_M]]),
  ];
}

/** An invented town around its places. Undefined: fewer than two places make no town. */
export function townOf(places: readonly TownPlace[]): Town | undefined {
  if (places.length < 2) return undefined;
  const sorted = places.toSorted((a, b) => a.longitude - b.longitude || a.latitude - b.latitude);
  const [longitude, latitude] = mean(sorted.map((place): Point => [place.longitude, place.latitude]));
  const eastPerDegree = METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  const pointOf = (place: TownPlace): Point => [
    (place.longitude - longitude) * eastPerDegree,
    (place.latitude - latitude) * METRES_PER_DEGREE,
  ];
  const latLngOf = ([east, north]: Point): LatLng => [latitude + north / METRES_PER_DEGREE, longitude + east / eastPerDegree];
  const points = sorted.map(pointOf);
  const box: Box = {
    west: Math.min(...points.map(([x]) => x)) - MARGIN_M,
    east: Math.max(...points.map(([x]) => x)) + MARGIN_M,
    south: Math.min(...points.map(([, y]) => y)) - MARGIN_M,
    north: Math.max(...points.map(([, y]) => y)) + MARGIN_M,
  };
  const members = [...Map.groupBy(sorted, ({ quarter }) => quarter)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const quarters = members.map(([name, own]) => quarterOf(name, own.map(pointOf)));
  const centres = members.map(([, own]) => mean(own.map(pointOf)));
  const drawn = (lines: readonly Point[][]) => lines.map((line) => line.map(latLngOf));
  return {
    river: riverOf(points, box).map(latLngOf),
    mainRoads: drawn(roadsOf(centres, box)),
    streets: drawn(quarters.flatMap(({ streets }) => streets)),
    parks: drawn(quarters.map(({ park }) => park)),
  };
}
