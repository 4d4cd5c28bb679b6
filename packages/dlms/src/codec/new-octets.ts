const SLAB_SIZE = 16_384;
/** What is longer gets memory of its own: a few of them would use up a slab. */
const LARGEST = SLAB_SIZE / 4;

let slab = new ArrayBuffer(SLAB_SIZE);
let used = 0;

/**
 * Zeroed octets that nobody else has; their memory is shared with others, so `buffer` is never to be looked into without the
 * offset. An array of more than 64 octets is memory outside of the engine's heap, and asking for each alone costs ten times
 * this; what is handed to a cipher has to lie there anyway.
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
