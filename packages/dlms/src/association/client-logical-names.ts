import { DecodeError } from '../codec/decode-error.ts';
import type { Selection } from '../cosem/selective-access.ts';
import type { Conformance } from '../xdlms/conformance.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import type { ClientDialogue } from './client-dialogue.ts';
import type { ReferencedServices } from './client-referencing.ts';
import { encodeUnconfirmed, type UnconfirmedRequest } from './client-unconfirmed.ts';
import { getAttribute, getWithList, type ReadResult } from './client-services.ts';
import {
  invokeMethod,
  invokeWithList,
  setAttribute,
  setWithList,
  type InvokeItem,
  type InvokeResult,
  type SetItem,
  type SetResult,
} from './client-writes.ts';
import type { Exchange } from './exchange.ts';
import { assertGranted, limitsOf, type Granted } from './request-limits.ts';

/** Octets of a GET-WITH-LIST before its items, and octets of each item without selection. */
const LIST_HEADER_SIZE = 4;
const LIST_ITEM_SIZE = 10;

/** GET, SET and ACTION of an association with logical names. */
export class LogicalNameServices implements ReferencedServices {
  readonly #dialogue: ClientDialogue;
  readonly #granted: () => Granted;
  /** The server has answered a GET-WITH-LIST with octets that are not a list of results. */
  #isListMalformed = false;

  constructor(dialogue: ClientDialogue, granted: () => Granted) {
    this.#dialogue = dialogue;
    this.#granted = granted;
  }

  get(ref: AttributeDescriptor, selection?: Selection): Exchange<ReadResult> {
    this.#need('get', selection);
    return getAttribute(this.#dialogue, ref, selection);
  }

  *getList(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[]> {
    this.#need('get');
    const { conformance, room } = this.#granted();
    const results: ReadResult[] = [];
    const fitting = Math.max(1, Math.floor((room - LIST_HEADER_SIZE) / LIST_ITEM_SIZE));
    const atOnce = conformance.includes('multipleReferences') ? fitting : 1;
    for (let from = 0; from < refs.length; from += atOnce) results.push(...(yield* this.#getSome(refs.slice(from, from + atOnce))));
    return results;
  }

  /**
   * Reads a list that fits in one request. A server without blocks refuses a list whose response is too long, and some servers encode the
   * result of an object that they lack wrongly, so the members are then read one by one.
   */
  *#getSome(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[]> {
    const together = refs.length === 1 || this.#isListMalformed ? undefined : yield* this.#getTogether(refs);
    if (together?.some(({ ok }) => ok) || (together && this.#granted().conformance.includes('blockTransferGet'))) return together;
    const results: ReadResult[] = [];
    for (const ref of refs) results.push(yield* this.get(ref));
    return results;
  }

  /** Reads a list with one service; undefined where the response cannot be decoded. */
  *#getTogether(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[] | undefined> {
    try {
      return yield* getWithList(this.#dialogue, refs);
    } catch (error) {
      if (!isMalformedAnswer(error)) throw error;
      this.#isListMalformed = true;
      return undefined;
    }
  }

  set(item: SetItem): Exchange<SetResult> {
    this.#need('set', item.selection);
    return setAttribute(this.#dialogue, limitsOf(this.#granted(), 'blockTransferSet'), item);
  }

  *setList(items: readonly SetItem[]): Exchange<SetResult[]> {
    this.#need('set', ...items.map(({ selection }) => selection));
    if (items.length > 1 && this.#granted().conformance.includes('multipleReferences'))
      return yield* setWithList(this.#dialogue, limitsOf(this.#granted(), 'blockTransferSet'), items);
    const results: SetResult[] = [];
    for (const item of items) results.push(yield* this.set(item));
    return results;
  }

  invoke(item: InvokeItem): Exchange<InvokeResult> {
    this.#need('action');
    return invokeMethod(this.#dialogue, limitsOf(this.#granted(), 'blockTransferAction'), item);
  }

  *invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]> {
    this.#need('action');
    if (items.length > 1 && this.#granted().conformance.includes('multipleReferences'))
      return yield* invokeWithList(this.#dialogue, limitsOf(this.#granted(), 'blockTransferAction'), items);
    const results: InvokeResult[] = [];
    for (const item of items) results.push(yield* this.invoke(item));
    return results;
  }

  /** A logical name is the address itself. */
  isLocated(): boolean {
    return true;
  }

  *locate(): Exchange<void> {}

  encodeUnconfirmed(request: UnconfirmedRequest, room: number): Uint8Array {
    return encodeUnconfirmed(request, { conformance: this.#granted().conformance, room });
  }

  #need(service: Conformance, ...selections: readonly (Selection | undefined)[]): void {
    const isSelective = selections.some((selection) => selection !== undefined);
    assertGranted(this.#granted(), isSelective ? [service, 'selectiveAccess'] : [service]);
  }
}

/** Octets that are not authentic, or repeated, say nothing about the server. */
const isMalformedAnswer = (error: unknown): boolean =>
  error instanceof DecodeError && error.fault.code !== 'NOT_AUTHENTIC' && error.fault.code !== 'COUNTER_NOT_RISING';
