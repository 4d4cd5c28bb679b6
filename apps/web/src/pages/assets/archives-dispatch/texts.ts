import type { ArchiveEntry } from '@hes/contract/asset/archive.ts';
import { common } from '#core/i18n/common.messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
export type T = Translate<typeof texts>;

/** The fields that both archives have, in the order of comparison. */
export const FIELDS = [
  ['measurementPoint', 'point'],
  ['communicationMode', 'mode'],
  ['phase', 'phase'],
  ['meterType', 'meterType'],
  ['address', 'address'],
  ['protocol', 'protocol'],
  ['isMaster', 'isMaster'],
  ['enabled', 'enabled'],
] as const satisfies readonly [keyof ArchiveEntry, keyof typeof texts][];

/** A field of an entry as text. */
export function fieldText(entry: ArchiveEntry, field: keyof ArchiveEntry, t: T): string {
  const value = entry[field];
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
  if (field === 'communicationMode') return t(entry.communicationMode);
  if (field === 'protocol') return t(entry.protocol);
  if (field === 'phase') return entry.phase === 'unknown' ? '—' : entry.phase.toUpperCase();
  return value === '' ? '—' : String(value);
}
