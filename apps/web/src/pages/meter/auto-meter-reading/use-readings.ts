import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { isFreeze, reading } from '@hes/contract/reading/reading.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import type { Loaded } from '#kit/basics/states.tsx';
import type { Kind, Row } from './data-kinds.ts';
import type { MeterFilter } from './filters.tsx';
import type { DayRange } from './range.ts';

interface ReadingsQuery {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey } | undefined;
  chosen: MeterFilter;
  quality: string | undefined;
  /** State of the reading; undefined: any. */
  reading: string | undefined;
  page: string;
  size: string;
  /** All rows at once, for the chart of a single meter. */
  whole: boolean;
}

interface ReadingsPage {
  items: Row[];
  total: number;
  page: number;
  size: number;
}

const WHOLE_DAILY = 500;
const WHOLE_PROFILE = 3200;

/** Daily freezes or a profile, of a meter or of all meters under a node. */
export function useReadings({ kind, range, target, chosen, quality, reading: state, page, size, whole }: ReadingsQuery) {
  const common = { ...range, ...target, ...chosen, page: whole ? 1 : page };
  const ready = target !== undefined;
  const rowsOf = (most: number) => (whole ? { ...common, size: most } : { ...common, quality, reading: state, size });
  const daily = useApiQuery(reading.daily, {
    query: { ...rowsOf(WHOLE_DAILY), profile: isFreeze(kind) ? kind : 'daily' },
    enabled: ready && isFreeze(kind),
    keep: ['meterId', 'node', 'profile'],
  });
  const profile = useApiQuery(reading.profile, {
    params: { profile: isFreeze(kind) ? 'lpa' : kind },
    query: rowsOf(WHOLE_PROFILE),
    enabled: ready && !isFreeze(kind),
    keep: ['meterId', 'node'],
  });
  const query: Loaded<ReadingsPage> & { isFetching: boolean; isPlaceholderData: boolean; dataUpdatedAt: number } = isFreeze(kind)
    ? daily
    : profile;
  return { query, rows: query.data?.items ?? [] };
}
