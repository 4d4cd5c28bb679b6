import type { FeedKind } from '../../packages/contract/src/delivery/feed.ts';
import type { Got } from './receiver.ts';

/** What was announced, by the tables: the entries of the outbox, and the slots that are stored. */
export interface Truth {
  /** `kind id` of each entry. */
  announced: ReadonlySet<string>;
  /** `serial instant` of each stored slot of the profiles that were read. */
  slots: ReadonlySet<string>;
}

export interface Verdict {
  held: number;
  missing: number;
  invented: number;
  /** Items that came again with the same id. */
  repeated: number;
  /** Items of a device that came for the first time behind a later one. */
  outOfOrder: number;
  missingSlots: number;
  inventedSlots: number;
  examples: string[];
}

const keyOf = ({ kind, id }: { kind: FeedKind; id: string }): string => `${kind} ${id}`;
/** Place of an entry: row of the outbox, then number within it. */
const placeOf = (id: string): [bigint, number] => {
  const [row = '0', n = '0'] = id.split('-');
  return [BigInt(row), Number(n)];
};
const isBefore = (a: string, b: string): boolean => {
  const [[rowA, a2], [rowB, b2]] = [placeOf(a), placeOf(b)];
  return rowA < rowB || (rowA === rowB && a2 < b2);
};

const without = (all: Iterable<string>, others: ReadonlySet<string>): string[] => [...all].filter((one) => !others.has(one));

/** Compares what a consumer holds with what is stored. */
export function judge(truth: Truth, got: readonly Got[]): Verdict {
  const held = new Set<string>();
  const slots = new Set<string>();
  const last = new Map<string, string>();
  let outOfOrder = 0;
  const examples: string[] = [];
  for (const item of got) {
    const key = keyOf(item);
    if (held.has(key)) continue;
    held.add(key);
    for (const ts of item.slots) slots.add(`${item.meter} ${new Date(ts).toISOString()}`);
    const device = `${item.kind} ${item.meter}`;
    const before = last.get(device);
    if (before !== undefined && isBefore(item.id, before)) {
      outOfOrder++;
      examples.push(`${device}: ${item.id} after ${before}`);
    }
    last.set(device, item.id);
  }
  const [missing, invented] = [without(truth.announced, held), without(held, truth.announced)];
  const [missingSlots, inventedSlots] = [without(truth.slots, slots), without(slots, truth.slots)];
  examples.push(...missing.slice(0, 3).map((one) => `missing ${one}`), ...invented.slice(0, 3).map((one) => `invented ${one}`));
  examples.push(
    ...missingSlots.slice(0, 3).map((one) => `missing slot ${one}`),
    ...inventedSlots.slice(0, 3).map((one) => `invented slot ${one}`),
  );
  return {
    held: held.size,
    missing: missing.length,
    invented: invented.length,
    repeated: got.length - held.size,
    outOfOrder,
    missingSlots: missingSlots.length,
    inventedSlots: inventedSlots.length,
    examples: examples.slice(0, 8),
  };
}

export const isClean = ({ missing, invented, outOfOrder, missingSlots, inventedSlots }: Verdict): boolean =>
  missing + invented + outOfOrder + missingSlots + inventedSlots === 0;
