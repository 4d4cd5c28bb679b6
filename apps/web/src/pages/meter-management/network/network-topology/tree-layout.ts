import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { childrenOf, sectorOf, SECTORS, type Layout, type Place, type Sector } from './layout.ts';

const COLUMN_PX = 170;
/** Row height: more space for few rows, and never less than a station needs. */
const ROW_PX = { least: 15, most: 28, together: 640 };
const MARGIN_PX = 40;
/** Above the first row, for the labels of the hops. */
const HEAD_PX = 36;
/** Branches open hop by hop while they need at most this number of rows. */
const ROWS_OPENED = 110;

type Children = ReadonlyMap<string | null, readonly TopologyNode[]>;

/** The stations whose branches are open: hop by hop while there is space, and always the route to the selected station. */
function openedOf(children: Children, route: ReadonlySet<string>): ReadonlySet<string> {
  const opened = new Set(route);
  let hop = children.get(null) ?? [];
  let rows = hop.length;
  while (hop.length > 0) {
    const relays = hop.filter((node) => children.has(node.mac));
    const next = relays.flatMap((node) => children.get(node.mac) ?? []);
    rows += next.length - relays.length;
    if (rows > ROWS_OPENED) break;
    for (const { mac } of relays) opened.add(mac);
    hop = next;
  }
  return opened;
}

/** Columns are hops. A branch is centred on its descendants, and the branches of a phase share a stem. */
export function treeLayout(nodes: readonly TopologyNode[], route: ReadonlySet<string>): Layout {
  const children = childrenOf(nodes);
  const opened = openedOf(children, route);
  const places = new Map<string, Place>();
  const folded = new Map<string, number>();
  // In rows first: the number of rows determines their height.
  let rows = 0;
  const middleOf = (list: readonly TopologyNode[]): number => {
    const ys = list.map(put);
    return ((ys[0] ?? 0) + (ys.at(-1) ?? 0)) / 2;
  };
  const put = (node: TopologyNode): number => {
    const below = children.get(node.mac) ?? [];
    const isOpen = below.length > 0 && opened.has(node.mac);
    const y = isOpen ? middleOf(below) : rows++;
    if (below.length > 0 && !isOpen) folded.set(node.mac, below.length);
    places.set(node.mac, { x: COLUMN_PX * (Math.max(1, node.level) + 1), y });
    return y;
  };
  const byPhase = Map.groupBy(children.get(null) ?? [], sectorOf);
  const stems = new Map<Sector, Place>();
  for (const phase of SECTORS) {
    const list = byPhase.get(phase);
    if (list === undefined) continue;
    stems.set(phase, { x: COLUMN_PX, y: middleOf(list) });
    rows++;
  }
  const perLevel = Map.groupBy(nodes, (node) => Math.max(1, node.level));
  const rings = [...perLevel].map(([level, list]) => ({ level, radius: COLUMN_PX * (level + 1), count: list.length }));
  const rowPx = Math.min(ROW_PX.most, Math.max(ROW_PX.least, ROW_PX.together / Math.max(1, rows)));
  for (const place of [...places.values(), ...stems.values()]) place.y *= rowPx;
  const bottom = rowPx * Math.max(0, rows - 2);
  return {
    kind: 'columns',
    places,
    root: { x: COLUMN_PX / 4, y: bottom / 2 },
    stems,
    folded,
    rings: rings.toSorted((a, b) => a.level - b.level),
    sectors: [],
    bounds: {
      left: -MARGIN_PX,
      top: -HEAD_PX,
      right: Math.max(COLUMN_PX, ...rings.map(({ radius }) => radius)) + MARGIN_PX,
      bottom: bottom + MARGIN_PX / 2,
    },
  };
}
