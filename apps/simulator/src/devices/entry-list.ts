/** Reason why a list rejects a change. */
export type EntryRefusal = 'full' | 'duplicate' | 'no_such_entry';

/** A changeable array of entries; places count from 1. */
export interface EntryList<E> {
  readonly capacity: number;
  entries(): readonly E[];
  /** Inserts before the entry at `place`; 0 appends. */
  insert(place: number, entry: E): EntryRefusal | undefined;
  update(place: number, entry: E): EntryRefusal | undefined;
  /** Removes [from, to]; `to` 0 means the last. */
  remove(from: number, to: number): EntryRefusal | undefined;
}

interface EntryRules<E> {
  capacity: number;
  /** Whether two entries exclude each other. */
  clash(one: E, other: E): boolean;
  /** Called after a change with the previous entries at its places. */
  changed(replaced: readonly E[]): void;
}

export function createEntryList<E>(initial: readonly E[], { capacity, clash, changed }: EntryRules<E>): EntryList<E> {
  const entries: E[] = [...initial];
  const isTaken = (entry: E, place: number): boolean => entries.some((other, i) => i !== place - 1 && clash(entry, other));
  const done = (replaced: readonly E[]): undefined => void changed(replaced);
  return {
    capacity,
    entries: () => entries,
    insert(place, entry) {
      if (entries.length >= capacity) return 'full';
      if (place > entries.length) return 'no_such_entry';
      if (isTaken(entry, 0)) return 'duplicate';
      entries.splice(place === 0 ? entries.length : place - 1, 0, entry);
      return done([]);
    },
    update(place, entry) {
      if (place < 1 || place > entries.length) return 'no_such_entry';
      if (isTaken(entry, place)) return 'duplicate';
      return done(entries.splice(place - 1, 1, entry));
    },
    remove(from, to) {
      const last = to === 0 ? entries.length : to;
      if (from < 1 || last < from || last > entries.length) return 'no_such_entry';
      return done(entries.splice(from - 1, last - from + 1));
    },
  };
}
