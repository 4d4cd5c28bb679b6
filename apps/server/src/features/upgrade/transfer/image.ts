import { createHash } from 'node:crypto';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { Pool } from 'pg';

/** A job has one image, and few jobs run at the same time. */
const KEPT_IMAGES = 3;
const kept = new Map<string, Uint8Array>();

/** A stored file, whole; its hash is looked at before anything of it is sent. */
export async function loadImage(pool: Pool, fileId: string, sha256: string): Promise<Outcome<Uint8Array>> {
  const known = kept.get(sha256);
  if (known !== undefined) return ok(known);
  const found = await pool.query<{ octets: Buffer }>('select octets from firmware_chunk where file_id = $1 order by n', [fileId]);
  const image = Buffer.concat(found.rows.map((row) => row.octets));
  if (createHash('sha256').update(image).digest('hex') !== sha256) return failed('IMAGE_DAMAGED');
  kept.set(sha256, image);
  if (kept.size > KEPT_IMAGES) kept.delete(kept.keys().next().value ?? '');
  return ok(image);
}

/** `0x` and octets, or text. */
export const identifierOctets = (identifier: string): Uint8Array =>
  identifier.startsWith('0x') ? Buffer.from(identifier.slice(2), 'hex') : Buffer.from(identifier, 'latin1');
