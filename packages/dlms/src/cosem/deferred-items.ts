import type { Data } from './data-value.ts';

/** Octets from which on items are read when somebody asks for them. */
export const DEFERRED_FROM = 1024;

/**
 * `head` with the items of a large array that has been checked already. They are read when they are asked for, and
 * forgotten when nobody holds them any longer: as objects they may take fifty times their octets, and how many of them
 * there are is the sender's choice.
 */
export function withDeferredItems<T extends object>(head: T, read: () => Data[]): T & { value: Data[] } {
  // Not read anew at every access: within one turn of the program a WeakRef keeps what it was asked for.
  let kept: WeakRef<Data[]> | undefined;
  const get = (): Data[] => {
    const held = kept?.deref();
    if (held !== undefined) return held;
    const items = read();
    kept = new WeakRef(items);
    return items;
  };
  return Object.defineProperty(head, 'value', { get, enumerable: true }) as T & { value: Data[] }; // as: just defined
}
