import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { describe, expect, it } from 'vitest';
import { treeLayout } from './tree-layout.ts';

const NO_STATIONS: ReadonlySet<string> = new Set();
// as: the layout uses only these fields
const station = (mac: string, parentMac: string | null, level: number): TopologyNode =>
  ({ mac, sn: mac, parentMac, level, phase: 'a', role: 'sta', isOnline: true }) as TopologyNode;

/** A network with `first` stations on the first hop and `behind` stations behind each of them. */
const network = (first: number, behind: number): TopologyNode[] =>
  Array.from({ length: first }, (_, at) => [
    station(`R${at}`, null, 1),
    ...Array.from({ length: behind }, (_one, n) => station(`R${at}S${n}`, `R${at}`, 2)),
  ]).flat();

describe('the tree', () => {
  it('S-159: has a column for each hop, a distinct position for each station, and branches centred on their descendants', () => {
    const nodes = network(3, 4);
    const { places, rings } = treeLayout(nodes, NO_STATIONS);
    expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
    expect(rings.map(({ level, count }) => [level, count])).toEqual([
      [1, 3],
      [2, 12],
    ]);
    for (const { mac, level } of nodes) expect(places.get(mac)?.x).toBe(rings[level - 1]?.radius);
    const ys = [0, 1, 2, 3].map((n) => places.get(`R1S${n}`)?.y ?? 0);
    expect(places.get('R1')?.y).toBe(((ys[0] ?? 0) + (ys[3] ?? 0)) / 2);
  });

  it('of a large network opens the branch of the selected station, and counts the descendants of the others', () => {
    const { places, folded } = treeLayout(network(60, 10), new Set(['R7', 'R7S2']));
    expect(places.size).toBe(60 + 10);
    expect(places.has('R7S9')).toBe(true);
    expect(folded.get('R8')).toBe(10);
    expect(folded.has('R7')).toBe(false);
  });
});
