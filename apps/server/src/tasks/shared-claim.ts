import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { FinishedItem } from './finished-item.ts';

/** What is kept of the execution for one member, besides the state of the item. */
interface MemberDetail {
  latencyMs?: number;
  result?: ItemResult;
  traceId?: string;
  reasonText?: string;
}

/** Members of one shared item whose work has the same state; they become an item, or stay in the one that was claimed. */
export interface Part {
  id: string;
  attempts: number;
  /** `reading`: the members in execution. */
  state: FinishedItem['state'] | 'reading';
  reasonCode: ReasonCode | null;
  againInMs: number;
  wasStarted: boolean;
  /** The part keeps the row of the item. Exactly one part of a claim does. */
  stays: boolean;
  meterIds: string[];
  details: MemberDetail[] | null;
}

/** One claim of a shared item: the members in execution, and the results that are not written yet. */
export class SharedClaim {
  readonly #id: string;
  readonly #attempts: number;
  readonly #open: Set<string>;
  #results: (FinishedItem & { meterId: string })[] = [];

  constructor({ id, attempts, meterIds }: { id: string; attempts: number; meterIds: readonly string[] }) {
    this.#id = id;
    this.#attempts = attempts;
    this.#open = new Set(meterIds);
  }

  add(meterId: string, result: FinishedItem): void {
    this.#open.delete(meterId);
    this.#results.push({ ...result, meterId });
  }

  get isComplete(): boolean {
    return this.#open.size === 0;
  }

  /** The unwritten results, by which the item is parted; they are no longer kept here. */
  take(): { parts: Part[]; results: readonly FinishedItem[] } {
    const results = this.#results;
    if (results.length === 0) return { parts: [], results };
    this.#results = [];
    const claimed = { id: this.#id, attempts: this.#attempts };
    const parts = [...Map.groupBy(results, likeness).values()]
      .map((alike): Part => ({ ...claimed, ...partOf(alike), stays: false }))
      .toSorted((a, b) => b.meterIds.length - a.meterIds.length);
    const rest = [...this.#open];
    const inExecution = { state: 'reading', reasonCode: null, againInMs: 0, wasStarted: true, details: null } as const;
    if (rest.length > 0) parts.unshift({ ...claimed, ...inExecution, stays: false, meterIds: rest });
    return { parts: parts.map((part, place) => ({ ...part, stays: place === 0 })), results };
  }
}

/** Results with equal likeness end in the same item. */
const likeness = ({ state, reasonCode, againInMs, wasStarted = true }: FinishedItem): string =>
  [state, reasonCode, againInMs, wasStarted].join(' ');

function partOf(results: readonly (FinishedItem & { meterId: string })[]): Omit<Part, 'id' | 'attempts' | 'stays'> {
  const [first] = results;
  if (first === undefined) throw new RangeError('A part has members');
  const { state, reasonCode, againInMs, wasStarted = true } = first;
  const meterIds = results.map(({ meterId }) => meterId);
  return { state, reasonCode, againInMs, wasStarted, meterIds, details: wasStarted ? results.map(detailOf) : null };
}

const detailOf = ({ latencyMs, result, traceId, reasonText }: FinishedItem): MemberDetail => ({
  latencyMs,
  ...(result === null ? {} : { result }),
  ...(traceId === null ? {} : { traceId }),
  ...(reasonText === null ? {} : { reasonText }),
});
