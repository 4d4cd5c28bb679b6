import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { Filter, UrlWords } from '#kit/list/filters.tsx';
import { localDay, serverNow } from '#core/time/format.ts';
import { KINDS, type Kind } from './data-kinds.ts';
import { rangeOf, type DayRange } from './range.ts';

/** One meter, or everything below a node. */
export type Target = { meterId?: string; node?: NodeKey };

/** The kind of data, the days, and the meter or node that the page shows. */
export interface Place {
  kind: Kind;
  range: DayRange;
  target: Target;
}

export function targetOf(node: string | undefined): Target | undefined {
  if (node === undefined) return undefined;
  const { kind, id } = nodeOf(node as NodeKey); // as: the address names a node of the tree
  return kind === 'meter' ? { meterId: id } : { node: node as NodeKey }; // as: likewise
}

export const kindOf = (tab: string | undefined): Kind => KINDS.find((known) => known === tab) ?? 'daily';

/** Kind of data, days and node of the page as the scope of a list. */
export const placeFilter: Filter<DayRange & Target & { profile: Kind }> = {
  keys: ['tab', 'from', 'to', 'node'],
  isScope: true,
  toQuery: ({ tab, from, to, node }: UrlWords) => {
    const profile = kindOf(tab);
    return { profile, ...rangeOf({ from, to, node }, localDay(serverNow()), profile), ...targetOf(node) };
  },
};
