import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { DcuEntry } from '@hes/dlms/profile/dcu-shapes.ts';
import type { EntryChange } from './arrays.ts';

/** An archive entry in the DCU's encoding, including fields that only the DCU uses. */
export type WireEntry = DcuEntry<'archive'>;

/** An archive whose entries have places from 1. */
export interface WireArchive {
  entryOf(wire: WireEntry): ArchiveEntry;
  retrieve(from: number, to: number): Promise<Outcome<WireEntry[]>>;
  changeEntries(changes: readonly EntryChange<WireEntry>[]): Promise<Outcome<Outcome<unknown>[]>>;
  remove(from: number, to: number): Promise<Outcome<void>>;
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
export const text = (octets: Uint8Array): string => Buffer.from(octets).toString('latin1');
export const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex').toUpperCase();

export const serialOf = (entry: Pick<WireEntry, 'serialNumber'>): string => text(entry.serialNumber).toUpperCase();

/** The entry to send: HES fields, and the DCU's own fields from the entry that it replaces. */
export const wireOf = (sn: string, entry: ArchiveEntry, before?: WireEntry): WireEntry => ({
  collectorAddress: new Uint8Array(0),
  keySlot: 0,
  ...before,
  serialNumber: ascii(sn),
  ...entry,
  address: ascii(entry.address),
  meterType: ascii(entry.meterType),
});
