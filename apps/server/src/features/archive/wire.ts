import { ENTRIES_PER_READ } from '@hes/contract/asset/archive-diff.ts';
import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { decode, encode, type Codec, type ValueOf } from '@hes/dlms/codec/codec.ts';
import { arrayManager } from '@hes/dlms/cosem/classes/array-manager.ts';
import { arrayOf, dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { DCU_ARRAYS, DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { methodRef, type CosemObject } from '#field/cosem-object.ts';
import { decodedAnswer } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';

/** An archive entry in the DCU's encoding, including fields that only the DCU uses. */
export type WireEntry = ValueOf<typeof DCU_ENTRIES.archive>;

/** Plausibility limit: a larger count does not come from a list of meters. */
const MOST_ENTRIES = 4096;

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const text = (octets: Uint8Array): string => Buffer.from(octets).toString('latin1');

export const serialOf = (entry: WireEntry): string => text(entry.serialNumber).toUpperCase();

/** The fields that both sides have. */
export function entryOf(wire: WireEntry): ArchiveEntry {
  const address = text(wire.address);
  const { measurementPoint, protocol, communicationMode, phase, isMaster, enabled } = wire;
  return {
    measurementPoint,
    address: address === text(wire.serialNumber) ? '' : address,
    protocol,
    communicationMode,
    meterType: text(wire.meterType),
    phase,
    isMaster,
    enabled,
  };
}

/** The entry to send: HES fields, and the DCU's own fields from the entry that it replaces. */
export const wireOf = (sn: string, entry: ArchiveEntry, before?: WireEntry): WireEntry => ({
  collectorAddress: before?.collectorAddress ?? new Uint8Array(0),
  keySlot: before?.keySlot ?? 0,
  serialNumber: ascii(sn),
  ...entry,
  address: ascii(entry.address),
  meterType: ascii(entry.meterType),
});

/** An insertion or replacement of one entry. */
interface Change<T> {
  kind: 'insert' | 'update';
  place: number;
  entry: T;
}

/** Client of a DCU's array manager. `place` is its logical name in the DCU profile. */
export class Arrays {
  readonly #link: DeviceLink;
  readonly #object: CosemObject<typeof arrayManager>;
  /** Round trips so far, without the blocks of long responses. */
  frames = 0;

  constructor(link: DeviceLink, instance: string) {
    this.#link = link;
    this.#object = { cosemClass: arrayManager, instance: obis(instance) };
  }

  count(arrayId: number): Promise<Outcome<number>> {
    this.frames++;
    return this.#link.invoke(this.#object, 'retrieveNumberOfEntries', arrayId);
  }

  /** Reads the entries between two indexes, both included. */
  async retrieve<T>(arrayId: number, entry: Codec<T>, from: number, to: number): Promise<Outcome<T[]>> {
    this.frames++;
    const argument = encode(arrayManager.methods.retrieveEntries.argument, { arrayId, from, to });
    return decodedAnswer(arrayOf(entry), await this.#link.action(methodRef(this.#object, 'retrieveEntries'), argument));
  }

  /** Reads all entries of an array in chunks. */
  async retrieveAll<T>(arrayId: number, entry: Codec<T>): Promise<Outcome<T[]>> {
    const count = await this.count(arrayId);
    if (!count.ok) return count;
    if (count.value > MOST_ENTRIES) return failed('BAD_ANSWER', `An array of ${count.value} entries`);
    const entries: T[] = [];
    for (let from = 1; from <= count.value; from += ENTRIES_PER_READ) {
      const some = await this.retrieve(arrayId, entry, from, Math.min(from + ENTRIES_PER_READ - 1, count.value));
      if (!some.ok) return some;
      entries.push(...some.value);
    }
    return ok(entries);
  }

  archive(): Promise<Outcome<WireEntry[]>> {
    return this.retrieveAll(DCU_ARRAYS.archive.id, DCU_ENTRIES.archive);
  }

  discovered(): Promise<Outcome<ValueOf<typeof DCU_ENTRIES.discovered>[]>> {
    return this.retrieveAll(DCU_ARRAYS.discovered.id, DCU_ENTRIES.discovered);
  }

  /** Appends entries (place 0) or replaces those at an index, in one request with one outcome each. */
  change(changes: readonly Change<WireEntry>[]): Promise<Outcome<Outcome<unknown>[]>> {
    return this.changeIn(DCU_ARRAYS.archive.id, DCU_ENTRIES.archive, changes);
  }

  /** Changes entries of another writable array. */
  changeIn<T>(arrayId: number, codec: Codec<T>, changes: readonly Change<T>[]): Promise<Outcome<Outcome<unknown>[]>> {
    this.frames++;
    return this.#link.actionList(
      changes.map(({ kind, place, entry }) => {
        const method = kind === 'insert' ? 'insertEntry' : 'updateEntry';
        const data = decode(dataCodec, encode(codec, entry));
        return {
          ref: methodRef(this.#object, method),
          argument: encode(arrayManager.methods[method].argument, { arrayId, index: place, entry: data }),
        };
      }),
    );
  }

  remove(from: number, to: number): Promise<Outcome<void>> {
    return this.removeIn(DCU_ARRAYS.archive.id, from, to);
  }

  removeIn(arrayId: number, from: number, to: number): Promise<Outcome<void>> {
    this.frames++;
    return this.#link.invoke(this.#object, 'removeEntries', { arrayId, from, to });
  }
}
