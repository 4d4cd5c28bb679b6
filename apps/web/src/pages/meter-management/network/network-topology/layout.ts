import type { TopologyNode } from '@hes/contract/network/topology.ts';

export type Form = 'map' | 'tree' | 'network' | 'list';

export interface Place {
  x: number;
  y: number;
}

export interface Layout {
  /** Hops as rings around the DCU, hops as columns, or geographic positions in metres. */
  kind: 'rings' | 'columns' | 'map';
  /** By MAC address; the DCU is at `root`. */
  places: Map<string, Place>;
  root: Place;
  /** Radius of each hop around the DCU. */
  rings: { level: number; radius: number; count: number }[];
  /** Sectors of the circle by phase, in radians. */
  sectors: { phase: Sector; from: number; to: number }[];
  /** Columns only: where the branches of a phase leave the DCU. */
  stems: ReadonlyMap<Sector, Place>;
  /** Columns only: number of descendants of a station whose branch is folded. */
  folded: ReadonlyMap<string, number>;
  bounds: { left: number; top: number; right: number; bottom: number };
}

const RING_PX = 92;
const FIRST_RING_PX = 110;
/** Stations of one ring alternate between several rows, so that they do not overlap. */
const STAGGER_PX = 16;
const STAGGER_ROWS = 3;
const SECTOR_GAP = 0.14;
/** Gap in the circle for the labels of the rings, in radians. */
const TOP_GAP = 0.3;
/** Beyond the outermost ring, for the labels of the phases. */
const RIM_PX = 26;
const NODE_PX = 15;
const NO_STEMS: Pick<Layout, 'stems' | 'folded'> = { stems: new Map(), folded: new Map() };
export const SECTORS = ['a', 'b', 'c', 'other'] as const;
export type Sector = (typeof SECTORS)[number];

export const sectorOf = (node: TopologyNode): Sector =>
  node.phase === 'a' || node.phase === 'b' || node.phase === 'c' ? node.phase : 'other';

/** Children by parent. Stations with an unknown parent count as children of the DCU. */
export function childrenOf(nodes: readonly TopologyNode[]): Map<string | null, TopologyNode[]> {
  const known = new Set(nodes.map((node) => node.mac));
  const parentOf = (node: TopologyNode) => (node.isOnline && node.parentMac !== null && known.has(node.parentMac) ? node.parentMac : null);
  return Map.groupBy(
    nodes.toSorted((a, b) => a.sn.localeCompare(b.sn)),
    parentOf,
  );
}

/** The route from a station up to the DCU. */
export function routeOf(nodes: ReadonlyMap<string, TopologyNode>, mac: string): TopologyNode[] {
  const route: TopologyNode[] = [];
  for (let at = nodes.get(mac); at !== undefined && !route.includes(at); at = at.parentMac === null ? undefined : nodes.get(at.parentMac))
    route.push(at);
  return route;
}

/** Radii that leave space for the stations of each hop, each a step beyond the previous one. */
function radiiOf(perLevel: ReadonlyMap<number, readonly TopologyNode[]>): number[] {
  const radii = [0];
  const deepest = Math.max(1, ...perLevel.keys());
  for (let level = 1; level <= deepest; level++) {
    const needed = ((perLevel.get(level)?.length ?? 0) * NODE_PX) / (2 * Math.PI * STAGGER_ROWS) + STAGGER_PX;
    radii.push(Math.max(needed, (radii[level - 1] ?? 0) + (level === 1 ? FIRST_RING_PX : RING_PX)));
  }
  return radii;
}

/** Number of leaves under each station: its share of the circle. */
function endsOf(children: ReadonlyMap<string | null, readonly TopologyNode[]>): Map<string, number> {
  const ends = new Map<string, number>();
  const count = (node: TopologyNode): number => {
    const below = children.get(node.mac) ?? [];
    const total = below.length === 0 ? 1 : below.reduce((sum, child) => sum + count(child), 0);
    ends.set(node.mac, total);
    return total;
  };
  for (const node of children.get(null) ?? []) count(node);
  return ends;
}

/** Rings are hops, sectors are phases. The angle of a branch is proportional to its leaves. */
export function radialLayout(nodes: readonly TopologyNode[]): Layout {
  const children = childrenOf(nodes);
  const perLevel = Map.groupBy(nodes, (node) => node.level);
  const radii = radiiOf(perLevel);
  const ends = endsOf(children);
  const shareOf = (list: readonly TopologyNode[]): number => list.reduce((sum, node) => sum + (ends.get(node.mac) ?? 1), 0);
  const top = Map.groupBy(children.get(null) ?? [], sectorOf);
  const names = SECTORS.filter((name) => top.has(name));
  const total = Math.max(1, shareOf(children.get(null) ?? []));
  const width = 2 * Math.PI - TOP_GAP - Math.max(0, names.length - 1) * SECTOR_GAP;
  const places = new Map<string, Place>();
  const rows = new Map<number, number>();
  const put = (node: TopologyNode, from: number, to: number): void => {
    const row = rows.get(node.level) ?? 0;
    rows.set(node.level, row + 1);
    const radius = (radii[node.level] ?? 0) + ((row % STAGGER_ROWS) - 1) * STAGGER_PX;
    const angle = (from + to) / 2;
    places.set(node.mac, { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius });
    spread(children.get(node.mac) ?? [], from, to, ends.get(node.mac) ?? 1);
  };
  const spread = (list: readonly TopologyNode[], from: number, to: number, of: number): void => {
    let at = from;
    for (const node of list) {
      const share = ((to - from) * (ends.get(node.mac) ?? 1)) / of;
      put(node, at, at + share);
      at += share;
    }
  };
  let from = -Math.PI / 2 + TOP_GAP / 2;
  const sectors = names.map((phase) => {
    const list = top.get(phase) ?? [];
    const to = from + (width * shareOf(list)) / total;
    spread(list, from, to, shareOf(list));
    const sector = { phase, from, to };
    from = to + SECTOR_GAP;
    return sector;
  });
  const outer = (radii.at(-1) ?? 0) + 2 * STAGGER_PX + RIM_PX;
  return {
    kind: 'rings',
    places,
    root: { x: 0, y: 0 },
    ...NO_STEMS,
    rings: [...perLevel]
      .map(([level, list]) => ({ level, radius: radii[level] ?? 0, count: list.length }))
      .filter((ring) => ring.level > 0)
      .toSorted((a, b) => a.level - b.level),
    sectors,
    bounds: { left: -outer, top: -outer, right: outer, bottom: outer },
  };
}

const METRES_PER_DEGREE = 111_320;
/** Meters of one building share a position: they are drawn around it at this distance. */
const APART_METRES = 3;
const MAP_MARGIN = 30;
const GOLDEN_ANGLE = 2.399963;

/** Geographic positions in metres around the DCU; stations without a position are left out. */
export function mapLayout(nodes: readonly TopologyNode[], centre: { longitude: number; latitude: number } | undefined): Layout {
  const known = nodes.flatMap(({ mac, longitude, latitude }) =>
    longitude === null || latitude === null ? [] : { mac, longitude, latitude },
  );
  const middle = centre ?? known[0] ?? { longitude: 0, latitude: 0 };
  const squeeze = Math.cos((middle.latitude * Math.PI) / 180);
  const places = new Map<string, Place>();
  for (const house of Map.groupBy(known, ({ longitude, latitude }) => `${longitude} ${latitude}`).values())
    for (const [index, { mac, longitude, latitude }] of house.entries()) {
      const away = house.length === 1 ? 0 : APART_METRES * Math.sqrt(index + 1);
      places.set(mac, {
        x: (longitude - middle.longitude) * METRES_PER_DEGREE * squeeze + away * Math.cos(index * GOLDEN_ANGLE),
        y: -(latitude - middle.latitude) * METRES_PER_DEGREE + away * Math.sin(index * GOLDEN_ANGLE),
      });
    }
  let bounds = { left: -MAP_MARGIN, top: -MAP_MARGIN, right: MAP_MARGIN, bottom: MAP_MARGIN };
  for (const { x, y } of places.values())
    bounds = {
      left: Math.min(bounds.left, x - MAP_MARGIN),
      top: Math.min(bounds.top, y - MAP_MARGIN),
      right: Math.max(bounds.right, x + MAP_MARGIN),
      bottom: Math.max(bounds.bottom, y + MAP_MARGIN),
    };
  return { kind: 'map', places, root: { x: 0, y: 0 }, ...NO_STEMS, rings: [], sectors: [], bounds };
}
