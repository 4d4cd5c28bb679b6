import { createHash } from 'node:crypto';
import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { Pool } from 'pg';
import { readImage } from './record-queries.ts';

/** Each job has one image, and few jobs run at the same time. */
const MAX_CACHED_IMAGES = 3;
const images = new BoundedCache<string, Uint8Array>(MAX_CACHED_IMAGES);

/** Loads a whole firmware file and checks its hash before the first block is sent. */
export async function loadImage(pool: Pool, fileId: string, sha256: string): Promise<Outcome<Uint8Array>> {
  const known = images.get(sha256);
  if (known !== undefined) return ok(known);
  const image = await readImage(pool, fileId);
  if (createHash('sha256').update(image).digest('hex') !== sha256) return failed('IMAGE_DAMAGED');
  images.set(sha256, image);
  return ok(image);
}

/** Octets of an identifier: hexadecimal digits after `0x`, or Latin-1 text. */
export const identifierOctets = (identifier: string): Uint8Array =>
  identifier.startsWith('0x') ? Buffer.from(identifier.slice(2), 'hex') : Buffer.from(identifier, 'latin1');
