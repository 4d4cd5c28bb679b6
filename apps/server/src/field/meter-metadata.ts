/** Cached facts about a meter, by key. Immutable, because meters with equal metadata share one object. */
export class MeterMetadata {
  /** JSON text of its row in `meter_memory`. */
  readonly text: string;
  /** Id of its row; undefined: not stored yet. */
  id: string | undefined;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(text: string, id?: string) {
    this.text = text;
    this.id = id;
    // as: only text that this class wrote is parsed. Every value is frozen, because the object is shared.
    const values = JSON.parse(text, (_key, value: unknown) => Object.freeze(value)) as Record<string, unknown>;
    this.#values = new Map(Object.entries(values));
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** JSON text with this value added or replaced. Keys are sorted, so that equal metadata has equal text in any order of reads. */
  serializeWith(key: string, value: unknown): string {
    const values = new Map(this.#values).set(key, value);
    return JSON.stringify(Object.fromEntries([...values].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
}

/** Metadata of a meter that has not been read yet. */
export const NO_METADATA = new MeterMetadata('{}');

/** Caches a value derived from metadata and a part of it, once for all meters with that metadata. `derive` depends on its arguments only. */
export function cachePerMetadata<Part extends object, Derived>(
  derive: (metadata: MeterMetadata, part: Part) => Derived,
): (metadata: MeterMetadata, part: Part) => Derived {
  const cache = new WeakMap<MeterMetadata, WeakMap<Part, Derived>>();
  return (metadata, part) => {
    let parts = cache.get(metadata);
    if (parts === undefined) cache.set(metadata, (parts = new WeakMap()));
    let derived = parts.get(part);
    if (derived === undefined) parts.set(part, (derived = derive(metadata, part)));
    return derived;
  };
}
