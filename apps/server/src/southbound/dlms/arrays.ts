import { ENTRIES_PER_READ } from '@hes/contract/asset/archive-diff.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { decode, encode, type Codec } from '@hes/dlms/codec/codec.ts';
import { arrayManager } from '@hes/dlms/cosem/classes/array-manager.ts';
import { arrayOf, dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { methodRef, type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { decodedAnswer } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';

/** Plausibility limit: a larger count does not come from a list of meters. */
const MOST_ENTRIES = 4096;

/** An insertion (place 0: at the end) or replacement of one entry. Places count from 1. */
export interface EntryChange<T> {
  kind: 'insert' | 'update';
  place: number;
  entry: T;
}

/** One array of a DCU, reached through its array manager. */
export class EntryArray<T> {
  readonly #link: DeviceLink;
  readonly #object: CosemObject<typeof arrayManager>;
  readonly #arrayId: number;
  readonly #codec: Codec<T>;
  /** Round trips so far, without the blocks of long responses. */
  frames = 0;

  /** `manager` is the logical name of the array manager in the DCU profile. */
  constructor(link: DeviceLink, manager: string, { id, codec }: { id: number; codec: Codec<T> }) {
    this.#link = link;
    this.#object = { cosemClass: arrayManager, instance: obis(manager) };
    this.#arrayId = id;
    this.#codec = codec;
  }

  count(): Promise<Outcome<number>> {
    this.frames++;
    return this.#link.invoke(this.#object, 'retrieveNumberOfEntries', this.#arrayId);
  }

  /** Reads the entries between two places, both included. */
  async retrieve(from: number, to: number): Promise<Outcome<T[]>> {
    this.frames++;
    const argument = encode(arrayManager.methods.retrieveEntries.argument, { arrayId: this.#arrayId, from, to });
    return decodedAnswer(arrayOf(this.#codec), await this.#link.action(methodRef(this.#object, 'retrieveEntries'), argument));
  }

  /** Reads all entries in chunks. */
  async retrieveAll(): Promise<Outcome<T[]>> {
    const count = await this.count();
    if (!count.ok) return count;
    if (count.value > MOST_ENTRIES) return failed('BAD_ANSWER', `An array of ${count.value} entries`);
    const entries: T[] = [];
    for (let from = 1; from <= count.value; from += ENTRIES_PER_READ) {
      const some = await this.retrieve(from, Math.min(from + ENTRIES_PER_READ - 1, count.value));
      if (!some.ok) return some;
      entries.push(...some.value);
    }
    return ok(entries);
  }

  /** Appends or replaces entries in one request with one outcome each. */
  change(changes: readonly EntryChange<T>[]): Promise<Outcome<Outcome<unknown>[]>> {
    this.frames++;
    return this.#link.actionList(
      changes.map(({ kind, place, entry }) => {
        const method = kind === 'insert' ? 'insertEntry' : 'updateEntry';
        const data = decode(dataCodec, encode(this.#codec, entry));
        return {
          ref: methodRef(this.#object, method),
          argument: encode(arrayManager.methods[method].argument, { arrayId: this.#arrayId, index: place, entry: data }),
        };
      }),
    );
  }

  remove(from: number, to: number): Promise<Outcome<void>> {
    this.frames++;
    return this.#link.invoke(this.#object, 'removeEntries', { arrayId: this.#arrayId, from, to });
  }
}
