import { createHash } from 'node:crypto';

const MAGIC = 'HESFW1\n';

/** Header of an image. */
export interface ImageHead {
  /** Devices accept images of their own model only. */
  model: string;
  /** Version that the device reports after activation. */
  version: string;
}

/** Creates an image for simulated devices: a line of header, then octets that are covered by its hash only. */
export function makeImage({ model, version }: ImageHead, octets: number): Uint8Array {
  const payload = Buffer.alloc(octets);
  // Varying octets reveal misplaced blocks.
  for (let index = 0; index < octets; index++) payload[index] = (index * 131 + (index >> 8) * 17 + version.length) & 0xff;
  const sha256 = createHash('sha256').update(payload).digest('hex');
  return Buffer.concat([Buffer.from(`${MAGIC}${JSON.stringify({ model, version, sha256 })}\n`, 'latin1'), payload]);
}

/** The header of a complete image; undefined if any octet is damaged. */
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
    const { model, version, sha256 } = JSON.parse(text) as Record<string, unknown>; // as: every field is checked
    return typeof model === 'string' && typeof version === 'string' && typeof sha256 === 'string' ? { model, version, sha256 } : undefined;
  } catch {
    // A damaged header: not an image.
    return undefined;
  }
}
