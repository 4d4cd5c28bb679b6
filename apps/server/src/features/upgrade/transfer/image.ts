import { createHash } from 'node:crypto';
import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { Pool } from 'pg';

/** A job has one image, and few jobs run at the same time. */
const KEPT_IMAGES = 3;
const images = new BoundedCache<string, Uint8Array>(KEPT_IMAGES);

/** Loads a stored image, and checks its hash before anything of it is sent. */
export async function loadImage(pool: Pool, fileId: string, sha256: string): Promise<Outcome<Uint8Array>> {
  const known = images.get(sha256);
  if (known !== undefined) return ok(known);
  const found = await pool.query<{ octets: Buffer }>('select octets from firmware_chunk where file_id = $1 order by n', [fileId]);
  const image = Buffer.concat(found.rows.map((row) => row.octets));
  if (createHash('sha256').update(image).digest('hex') !== sha256) return failed('IMAGE_DAMAGED');
  images.set(sha256, image);
  return ok(image);
}

/** Octets of an image identifier that is written as `0x` and hexadecimal digits, or as text. */
export const identifierOctets = (identifier: string): Uint8Array =>
  identifier.startsWith('0x') ? Buffer.from(identifier.slice(2), 'hex') : Buffer.from(identifier, 'latin1');
