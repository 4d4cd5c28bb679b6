const SLAB_SIZE = 16_384;
/** Larger arrays get separate memory, because a few of them would exhaust a slab. */
const LARGEST = SLAB_SIZE / 4;

let slab = new ArrayBuffer(SLAB_SIZE);
let used = 0;

/**
 * Zeroed octets from a shared slab; use `buffer` only together with the offset. V8 allocates arrays above 64 octets off-heap, which costs
 * ten times as much per array as this; arguments of a cipher must be off-heap anyway.
 */
export function newOctets(size: number): Uint8Array {
  if (size > LARGEST) return new Uint8Array(size);
  if (used + size > SLAB_SIZE) {
    slab = new ArrayBuffer(SLAB_SIZE);
    used = 0;
  }
  const octets = new Uint8Array(slab, used, size);
  used += size;
  return octets;
}
