import type { TopologyNode } from '@hes/contract/network/topology.ts';

export type Form = 'map' | 'tree' | 'network';

export interface Place {
  x: number;
  y: number;
}

export interface Layout {
  /** By address of the module; the DCU stands at `root`. */
  places: Map<string, Place>;
  root: Place;
  rings: { level: number; radius: number; count: number }[];
  bounds: { left: number; top: number; right: number; bottom: number };
}

const RING_PX = 92;
const FIRST_RING_PX = 110;
/** Rows of one ring, so that many stations do not lie upon each other. */
const STAGGER_PX = 16;
const STAGGER_ROWS = 3;
const SECTOR_GAP = 0.16;
const NODE_PX = 15;
const SECTORS = ['a', 'b', 'c', 'other'] as const;

const sectorOf = (node: TopologyNode): (typeof SECTORS)[number] =>
  node.phase === 'a' || node.phase === 'b' || node.phase === 'c' ? node.phase : 'other';

/** Children by parent; whoever's parent is not there hangs on the DCU. */
export function childrenOf(nodes: readonly TopologyNode[]): Map<string | null, TopologyNode[]> {
  const known = new Set(nodes.map((node) => node.mac));
  const parentOf = (node: TopologyNode) => (node.isOnline && node.parentMac !== null && known.has(node.parentMac) ? node.parentMac : null);
  return Map.groupBy(
    nodes.toSorted((a, b) => a.sn.localeCompare(b.sn)),
    parentOf,
  );
}

/** From a station up to the DCU. */
export function routeOf(nodes: ReadonlyMap<string, TopologyNode>, mac: string): TopologyNode[] {
  const route: TopologyNode[] = [];
  for (let at = nodes.get(mac); at !== undefined && !route.includes(at); at = at.parentMac === null ? undefined : nodes.get(at.parentMac))
    route.push(at);
  return route;
}

/** Rings are hops, sectors are phases; a branch gets as much of the circle as it has ends. */
export function radialLayout(nodes: readonly TopologyNode[]): Layout {
  const children = childrenOf(nodes);
  const perLevel = Map.groupBy(nodes, (node) => node.level);
  const radii = new Map<number, number>([[0, 0]]);
  const deepest = Math.max(1, ...nodes.map((node) => node.level));
  for (let level = 1; level <= deepest; level++) {
    const needed = ((perLevel.get(level)?.length ?? 0) * NODE_PX) / (2 * Math.PI * STAGGER_ROWS) + STAGGER_PX;
    radii.set(level, Math.max(needed, (radii.get(level - 1) ?? 0) + (level === 1 ? FIRST_RING_PX : RING_PX)));
  }
  const ends = new Map<string, number>();
  const count = (node: TopologyNode): number => {
    const below = children.get(node.mac) ?? [];
    const total = below.length === 0 ? 1 : below.reduce((sum, child) => sum + count(child), 0);
    ends.set(node.mac, total);
    return total;
  };
  const top = Map.groupBy(children.get(null) ?? [], sectorOf);
  const sectors = SECTORS.flatMap((name) => top.get(name) ?? []).length === 0 ? [] : SECTORS.filter((name) => top.has(name));
  const total = sectors.reduce((sum, name) => sum + (top.get(name) ?? []).reduce((all, node) => all + count(node), 0), 0);
  const width = 2 * Math.PI - sectors.length * SECTOR_GAP;
  const places = new Map<string, Place>();
  const rows = new Map<number, number>();
  const put = (node: TopologyNode, from: number, to: number): void => {
    const row = rows.get(node.level) ?? 0;
    rows.set(node.level, row + 1);
    const radius = (radii.get(node.level) ?? 0) + ((row % STAGGER_ROWS) - 1) * STAGGER_PX;
    const angle = (from + to) / 2;
    places.set(node.mac, { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius });
    let at = from;
    for (const child of children.get(node.mac) ?? []) {
      const share = ((to - from) * (ends.get(child.mac) ?? 1)) / (ends.get(node.mac) ?? 1);
      put(child, at, at + share);
      at += share;
    }
  };
  let at = -Math.PI / 2 + SECTOR_GAP / 2;
  for (const name of sectors) {
    for (const node of top.get(name) ?? []) {
      const share = (width * (ends.get(node.mac) ?? 1)) / Math.max(1, total);
      put(node, at, at + share);
      at += share;
    }
    at += SECTOR_GAP;
  }
  const outer = (radii.get(deepest) ?? 0) + 2 * STAGGER_PX;
  return {
    places,
    root: { x: 0, y: 0 },
    rings: [...perLevel]
      .map(([level, list]) => ({ level, radius: radii.get(level) ?? 0, count: list.length }))
      .filter((ring) => ring.level > 0)
      .toSorted((a, b) => a.level - b.level),
    bounds: { left: -outer, top: -outer, right: outer, bottom: outer },
  };
}

const METRES_PER_DEGREE = 111_320;

/** True positions, in metres around the DCU; who has none is not placed. */
export function mapLayout(nodes: readonly TopologyNode[], centre: { longitude: number; latitude: number } | undefined): Layout {
  const known = nodes.filter((node) => node.longitude !== null && node.latitude !== null);
  const middle = centre ?? { longitude: known[0]?.longitude ?? 0, latitude: known[0]?.latitude ?? 0 };
  const squeeze = Math.cos((middle.latitude * Math.PI) / 180);
  const places = new Map(
    known.map((node) => [
      node.mac,
      {
        x: ((node.longitude ?? 0) - middle.longitude) * METRES_PER_DEGREE * squeeze,
        y: -((node.latitude ?? 0) - middle.latitude) * METRES_PER_DEGREE,
      },
    ]),
  );
  const xs = [0, ...[...places.values()].map((place) => place.x)];
  const ys = [0, ...[...places.values()].map((place) => place.y)];
  return {
    places,
    root: { x: 0, y: 0 },
    rings: [],
    bounds: { left: Math.min(...xs) - 30, top: Math.min(...ys) - 30, right: Math.max(...xs) + 30, bottom: Math.max(...ys) + 30 },
  };
}
