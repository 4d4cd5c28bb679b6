import type { Data } from './data-value.ts';

/** Arrays of at least this many octets are decoded on access. */
export const DEFERRED_FROM = 1024;

/**
 * Adds the items of a large, validated array to `head`. They are decoded on access and held weakly, because as objects they may take fifty
 * times their octets, and the sender controls their number.
 */
export function withDeferredItems<T extends object>(head: T, read: () => Data[]): T & { value: Data[] } {
  // A WeakRef keeps its target until the end of the current job, which avoids decoding on every access.
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
