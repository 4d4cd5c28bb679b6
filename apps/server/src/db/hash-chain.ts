import { createHash } from 'node:crypto';

/** What the first row of a chain follows. */
export const GENESIS = Buffer.alloc(32);

export const hashOf = (previous: Buffer, content: string): Buffer => createHash('sha256').update(previous).update(content).digest();

/** jsonb keeps no order of keys: sorted, so that a row read back hashes to the same. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
