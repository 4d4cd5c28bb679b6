import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { addDays, localDay, serverNow } from '#core/time/format.ts';
import { useUrl } from '#core/url/use-url.ts';
import { nodeScope } from '#domain/node-tree/list-filter.tsx';
import type { Filter } from '#kit/list/filters.tsx';

const DEFAULTS = { tab: 'balance', quantity: 'current', view: 'chart', moves: '5', kind: 'phase' } as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
export const WEEK = 7;

/** The words of the page in its address. */
export const usePhaseUrl = () => useUrl(PAGE_WORDS.phases, DEFAULTS);
type PhaseUrl = ReturnType<typeof usePhaseUrl>;

export interface TabProps {
  transformerId: string;
  range: { from: string; to: string };
  url: PhaseUrl[0];
  setUrl: PhaseUrl[1];
}

/** The days in the address if they are valid; else the last seven days. */
export function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }): TabProps['range'] {
  if (from && to && DAY.test(from) && DAY.test(to) && from <= to) return { from, to };
  const today = localDay(serverNow());
  return { from: addDays(today, 1 - WEEK), to: today };
}

export const transformerOf = ({ node = '' }: { node?: string | undefined }): string | undefined => /^transformer:(\d+)$/.exec(node)?.[1];

/** The days of a list, which the page chooses. */
export const rangeScope: Filter<{ from?: string; to?: string }> = { keys: ['from', 'to'], isScope: true, toQuery: rangeOf };

/** The transformer whose meters a list has, as the id of its route. */
export const transformerScope: Filter<{ transformerId?: string }> = {
  keys: ['node'],
  isScope: true,
  toQuery: (url) => {
    const transformerId = transformerOf(url);
    return transformerId === undefined ? {} : { transformerId };
  },
};

/** The same as a node of the network. */
export const transformerNode: typeof nodeScope = { ...nodeScope, keys: ['node'] };
