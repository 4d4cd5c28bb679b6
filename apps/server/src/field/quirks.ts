import type { MeterQuirk } from '@hes/contract/asset/meter-type.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { rangeSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { Conformance } from '@hes/dlms/xdlms/conformance.ts';

export type Quirks = ReadonlySet<MeterQuirk>;

export const NO_QUIRKS: Quirks = new Set();

const WITHHELD: Partial<Record<MeterQuirk, Conformance>> = {
  no_block_get: 'blockTransferGet',
  single_attribute_only: 'multipleReferences',
};

/** Properties of a device that its requests depend on. */
interface Peculiar {
  quirks: Quirks;
  maxPduSize: number;
}

/** Services that the head-end neither proposes to a device nor uses. */
export const withheldServices = (quirks: Quirks): Conformance[] => [...quirks].flatMap((quirk) => WITHHELD[quirk] ?? []);

/** Both included, epoch milliseconds. */
interface Range {
  from: number;
  to: number;
}

/** Selects rows by time. Some meters refuse limits with a deviation, because they compare in local time. */
export function timeSelection({ quirks }: Pick<Peculiar, 'quirks'>, { from, to }: Range, deviationMinutes: number): Selection {
  const limitOf = (at: number) => {
    const limit = fromEpochMs(at, deviationMinutes);
    return quirks.has('range_without_deviation') ? { ...limit, deviationMinutes: null } : limit;
  };
  return rangeSelection({ from: limitOf(from), to: limitOf(to) });
}

/** Octets of a response besides its rows: protection, headers and the tag of the array. */
const RESPONSE_OCTETS = 64;

/** Ranges of single requests. The rows for a meter without block transfer must fit one APDU. */
export function rangesOf(
  { quirks, maxPduSize }: Peculiar,
  { from, to }: Range,
  { rowOctets, rowMs }: { rowOctets: number; rowMs: number },
): Range[] {
  if (!quirks.has('no_block_get')) return [{ from, to }];
  const rows = Math.max(1, Math.floor((maxPduSize - RESPONSE_OCTETS) / rowOctets));
  const ranges: Range[] = [];
  for (let at = from; at <= to; at += rows * rowMs) ranges.push({ from: at, to: Math.min(to, at + rows * rowMs - 1000) });
  return ranges;
}
