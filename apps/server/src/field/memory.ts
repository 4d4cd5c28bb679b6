/** What a meter told about itself, by key. Meters that told the same share one, so it never changes. */
export class Memory {
  /** As it lies in the database. */
  readonly text: string;
  /** Of its row; undefined: it has none yet. */
  id: string | undefined;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(text: string, id?: string) {
    this.text = text;
    this.id = id;
    // as: only what this class wrote is read, and shared objects are frozen with all they hold.
    const told = JSON.parse(text, (_key, value: unknown) => Object.freeze(value)) as Record<string, unknown>;
    this.#values = new Map(Object.entries(told));
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Text of a memory that has learnt this. In the order of keys: whatever was asked first, it comes to the same. */
  textWith(key: string, value: unknown): string {
    const told = new Map(this.#values).set(key, value);
    return JSON.stringify(Object.fromEntries([...told].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
}

/** Of a meter that was never asked. */
export const NO_MEMORY = new Memory('{}');

/**
 * What is derived from an object in a memory, computed once however many meters have that memory. `make` may look at nothing but its
 * arguments.
 */
export function oncePerMemory<Part extends object, Derived>(
  make: (memory: Memory, part: Part) => Derived,
): (memory: Memory, part: Part) => Derived {
  const known = new WeakMap<Memory, WeakMap<Part, Derived>>();
  return (memory, part) => {
    let parts = known.get(memory);
    if (parts === undefined) known.set(memory, (parts = new WeakMap()));
    let derived = parts.get(part);
    if (derived === undefined) parts.set(part, (derived = make(memory, part)));
    return derived;
  };
}
