import type { Pool } from 'pg';
import { Memory } from './memory.ts';
import { findMemories } from './queries.ts';

/** Kinds of meters are few; each has some on the way to what it told in the end. */
const MAX_MEMORIES = 1_000;

/** The memories of this process, each once, however many meters have it. */
export class Memories {
  readonly #pool: Pool;
  readonly #byText = new Map<string, Memory>();
  readonly #byId = new Map<string, Memory>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Memories by their ids. */
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
      keep(this.#byId, id, memory);
      loaded.set(id, memory);
    }
    return loaded;
  }

  /** The memory of a meter that has told one thing more, or anew. */
  learn(memory: Memory, key: string, value: unknown): Memory {
    const text = memory.textWith(key, value);
    return text === memory.text ? memory : this.#of(text);
  }

  #of(text: string): Memory {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const memory = new Memory(text);
    keep(this.#byText, text, memory);
    return memory;
  }
}

function keep(known: Map<string, Memory>, key: string, memory: Memory): void {
  known.set(key, memory);
  if (known.size > MAX_MEMORIES) known.delete(known.keys().next().value ?? '');
}
