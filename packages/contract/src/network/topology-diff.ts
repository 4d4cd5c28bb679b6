/** Fields of a station that are compared; the module address identifies it. */
export interface ComparedNode {
  mac: string;
  sn: string;
  /** Module address of the parent; null: the DCU. */
  parentMac: string | null;
  level: number;
  isOnline: boolean;
}

export interface Moved {
  sn: string;
  mac: string;
  from: string | null;
  to: string | null;
  levelBefore: number;
  levelAfter: number;
}

/** A relay that failed, with the stations that were behind it. */
export interface LostSubtree {
  relayMac: string;
  relaySn: string;
  lostSns: string[];
  /** Stations that found another route. */
  rescuedSns: string[];
}

export interface TopologyDiff {
  joined: string[];
  left: string[];
  moved: Moved[];
  broke: LostSubtree[];
}

const online = (nodes: readonly ComparedNode[]) => new Map(nodes.filter((node) => node.isOnline).map((node) => [node.mac, node]));

/** All descendants of a station in order of hops. */
function below(mac: string, children: ReadonlyMap<string | null, ComparedNode[]>): ComparedNode[] {
  const found: ComparedNode[] = [];
  const open = [mac];
  const seen = new Set(open);
  for (const at of open)
    for (const child of children.get(at) ?? []) {
      // A network read while it changes may contain cycles of parents.
      if (seen.has(child.mac)) continue;
      seen.add(child.mac);
      open.push(child.mac);
      found.push(child);
    }
  return found;
}

/** Compares two states of a network and finds relays whose failure disconnected other stations. */
export function diffTopology(before: readonly ComparedNode[], after: readonly ComparedNode[]): TopologyDiff {
  const was = online(before);
  const is = online(after);
  const snOf = (mac: string | null): string | null => (mac === null ? null : (was.get(mac)?.sn ?? is.get(mac)?.sn ?? mac));
  const left = [...was.values()].filter((node) => !is.has(node.mac));
  const moved = [...is.values()].flatMap((node): Moved[] => {
    const old = was.get(node.mac);
    if (old === undefined || old.parentMac === node.parentMac) return [];
    return [
      { sn: node.sn, mac: node.mac, from: snOf(old.parentMac), to: snOf(node.parentMac), levelBefore: old.level, levelAfter: node.level },
    ];
  });
  const children = Map.groupBy(was.values(), (node) => node.parentMac);
  const gone = new Set(left.map((node) => node.mac));
  // Of several failed relays in a row, the first is the cause; those behind it were only disconnected.
  const causes = left.filter((node) => (children.get(node.mac)?.length ?? 0) > 0 && !(node.parentMac !== null && gone.has(node.parentMac)));
  return {
    joined: [...is.values()].filter((node) => !was.has(node.mac)).map((node) => node.sn),
    left: left.map((node) => node.sn),
    moved,
    broke: causes.map((relay) => {
      const behind = below(relay.mac, children);
      return {
        relayMac: relay.mac,
        relaySn: relay.sn,
        lostSns: behind.filter((node) => gone.has(node.mac)).map((node) => node.sn),
        rescuedSns: behind.filter((node) => is.has(node.mac)).map((node) => node.sn),
      };
    }),
  };
}
