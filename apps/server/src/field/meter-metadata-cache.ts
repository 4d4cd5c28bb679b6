import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { Pool } from 'pg';
import { MeterMetadata } from './meter-metadata.ts';
import { findMetadata } from './queries.ts';

/** Meter types are few; the metadata of each grows in a few steps. */
const MAX_ENTRIES = 1_000;

/** Metadata of meters, one object for all meters with the same metadata. */
export class MeterMetadataCache {
  readonly #pool: Pool;
  readonly #byText = new BoundedCache<string, MeterMetadata>(MAX_ENTRIES);
  readonly #byId = new BoundedCache<string, MeterMetadata>(MAX_ENTRIES);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Metadata by the ids of their rows. */
  async load(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, MeterMetadata>> {
    const missing = [...ids].filter((id) => !this.#byId.has(id));
    const found = missing.length === 0 ? [] : await findMetadata(this.#pool, missing);
    const loaded = new Map<string, MeterMetadata>();
    for (const id of ids) {
      const known = this.#byId.get(id);
      if (known !== undefined) loaded.set(id, known);
    }
    for (const { id, text } of found) {
      const metadata = this.#cached(text);
      metadata.id = id;
      this.#byId.set(id, metadata);
      loaded.set(id, metadata);
    }
    return loaded;
  }

  /** The metadata of a meter after one value was added or replaced. */
  withValue(metadata: MeterMetadata, key: string, value: unknown): MeterMetadata {
    const text = metadata.serializeWith(key, value);
    return text === metadata.text ? metadata : this.#cached(text);
  }

  #cached(text: string): MeterMetadata {
    return this.#byText.getOrSet(text, () => new MeterMetadata(text));
  }
}
