import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { Pool } from 'pg';
import { Memory } from './memory.ts';
import { findMemories } from './queries.ts';

/** Meter types are few; the metadata of each grows in a few steps. */
const MAX_MEMORIES = 1_000;

/** Metadata of meters, one object for all meters with the same metadata. */
export class Memories {
  readonly #pool: Pool;
  readonly #byText = new BoundedCache<string, Memory>(MAX_MEMORIES);
  readonly #byId = new BoundedCache<string, Memory>(MAX_MEMORIES);

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Metadata by the ids of their rows. */
  async load(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Memory>> {
    const missing = [...ids].filter((id) => !this.#byId.has(id));
    const found = missing.length === 0 ? [] : await findMemories(this.#pool, missing);
    const loaded = new Map<string, Memory>();
    for (const id of ids) {
      const known = this.#byId.get(id);
      if (known !== undefined) loaded.set(id, known);
    }
    for (const { id, text } of found) {
      const memory = this.#of(text);
      memory.id = id;
      this.#byId.set(id, memory);
      loaded.set(id, memory);
    }
    return loaded;
  }

  /** The metadata of a meter after one value was added or replaced. */
  learn(memory: Memory, key: string, value: unknown): Memory {
    const text = memory.textWith(key, value);
    return text === memory.text ? memory : this.#of(text);
  }

  #of(text: string): Memory {
    return this.#byText.getOrSet(text, () => new Memory(text));
  }
}
