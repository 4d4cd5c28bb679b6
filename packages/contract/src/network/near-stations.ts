interface Placed {
  mac: string;
  parentMac: string | null;
}

/** Neighbours of a station: its parent, its children, and its siblings. */
export function nearStations<S extends Placed>(stations: readonly S[], { mac, parentMac }: Placed): S[] {
  return [
    ...stations.filter((other) => other.mac === parentMac),
    ...stations.filter((other) => other.parentMac === mac),
    ...stations.filter((other) => other.parentMac === parentMac && other.mac !== mac),
  ];
}
