/** Hash of 32 bits by FNV-1a with a final mix, so that similar names differ in all bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Name of the node that looks after a device without a connection. By rendezvous hashing: when a node joins or leaves, only the devices
 * that it gains or had change their guardian. Undefined: there are no nodes.
 */
export function guardianOf(endpointId: string, names: Iterable<string>): string | undefined {
  let best: { name: string; weight: number } | undefined;
  for (const name of names) {
    const weight = hashOf(`${endpointId}/${name}`);
    if (best === undefined || weight > best.weight || (weight === best.weight && name < best.name)) best = { name, weight };
  }
  return best?.name;
}
