import { createHash } from 'node:crypto';

const MAGIC = 'HESFW1\n';

/** What the head of an image says. */
export interface ImageHead {
  /** Devices take images of their own model only. */
  model: string;
  /** What the device will call itself. */
  version: string;
}

/** An image for simulated devices: a line of head, then octets that nothing but their hash says anything about. */
export function makeImage({ model, version }: ImageHead, octets: number): Uint8Array {
  const payload = Buffer.alloc(octets);
  // Not all alike, so that a block in the wrong place shows.
  for (let index = 0; index < octets; index++) payload[index] = (index * 131 + (index >> 8) * 17 + version.length) & 0xff;
  const sha256 = createHash('sha256').update(payload).digest('hex');
  return Buffer.concat([Buffer.from(`${MAGIC}${JSON.stringify({ model, version, sha256 })}\n`, 'latin1'), payload]);
}

/** The head of a whole image; undefined when a single octet of it is not as it was made. */
export function readImage(image: Uint8Array): ImageHead | undefined {
  const octets = Buffer.from(image.buffer, image.byteOffset, image.length);
  if (octets.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const end = octets.indexOf(0x0a, MAGIC.length);
  if (end === -1) return undefined;
  const head = parseHead(octets.toString('latin1', MAGIC.length, end));
  if (head === undefined) return undefined;
  return createHash('sha256')
    .update(octets.subarray(end + 1))
    .digest('hex') === head.sha256
    ? head
    : undefined;
}

function parseHead(text: string): (ImageHead & { sha256: string }) | undefined {
  try {
    const { model, version, sha256 } = JSON.parse(text) as Record<string, unknown>; // as: every field is looked at
    return typeof model === 'string' && typeof version === 'string' && typeof sha256 === 'string' ? { model, version, sha256 } : undefined;
  } catch {
    // Damaged on its way: no image.
    return undefined;
  }
}
