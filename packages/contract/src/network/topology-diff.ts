/** What two moments are compared by; the module's address is what stays. */
export interface ComparedNode {
  mac: string;
  sn: string;
  /** Address of the parent's module; null: the DCU itself. */
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

/** A relay that went, and whoever could only be reached through it. */
export interface LostSubtree {
  relayMac: string;
  relaySn: string;
  lostSns: string[];
  /** Who found another way. */
  rescuedSns: string[];
}

export interface TopologyDiff {
  joined: string[];
  left: string[];
  moved: Moved[];
  broke: LostSubtree[];
}

const online = (nodes: readonly ComparedNode[]) => new Map(nodes.filter((node) => node.isOnline).map((node) => [node.mac, node]));

/** Everybody below a node, in the order of their hops. */
function below(mac: string, children: ReadonlyMap<string | null, ComparedNode[]>): ComparedNode[] {
  const found: ComparedNode[] = [];
  const open = [mac];
  const seen = new Set(open);
  for (const at of open)
    for (const child of children.get(at) ?? []) {
      // A network that is just being read may say that two are each other's parents.
      if (seen.has(child.mac)) continue;
      seen.add(child.mac);
      open.push(child.mac);
      found.push(child);
    }
  return found;
}

/** What changed between two moments of one network, and which relay's end cut off others. */
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
  // Of several relays in a row the first one is the cause; those behind it could not be heard any more.
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
