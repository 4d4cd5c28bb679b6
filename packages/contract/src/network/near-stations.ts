interface Placed {
  mac: string;
  parentMac: string | null;
}

/** Who stands beside a station: its parent, those behind it, and the others of its parent. */
export function nearStations<S extends Placed>(stations: readonly S[], { mac, parentMac }: Placed): S[] {
  return [
    ...stations.filter((other) => other.mac === parentMac),
    ...stations.filter((other) => other.parentMac === mac),
    ...stations.filter((other) => other.parentMac === parentMac && other.mac !== mac),
  ];
}
