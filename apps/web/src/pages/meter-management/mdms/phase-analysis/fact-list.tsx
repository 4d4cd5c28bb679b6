import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { phase, phaseFactExport } from '@hes/contract/analysis/phase.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { phaseFact, type PhaseFact } from '@hes/contract/states/phase.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { Sn } from '#kit/basics/text.tsx';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { rangeScope, transformerScope } from './address.ts';
import { texts } from './messages.ts';
import { PhaseMark } from './phase-mark.tsx';
import { FACT } from './signs.ts';

/** The facts are counted here: the server sends all of them. */
function useCounts({ transformerId = '', from = '', to = '', search }: Partial<QueryOf<typeof phase.facts>>): FacetCounts<PhaseFact> {
  const facts = useApiQuery(phase.facts, { query: { transformerId, from, to, search }, keep: ['transformerId', 'from', 'to'] });
  const items = facts.data?.items;
  const countOf = (fact: PhaseFact) => items?.filter((row) => row.fact === fact).length;
  return { total: items?.length, counts: Object.fromEntries(phaseFact.options.map((fact) => [fact, countOf(fact)])), queries: [facts] };
}

/** Phase faults of the meters of a transformer. */
export const factList = defineList({
  route: phase.facts,
  path: PAGE_PATH.phases,
  at: { tab: 'anomalies' },
  title: texts.phaseFacts,
  purpose: texts.limit,
  rowId: (row) => `${row.meterId}/${row.fact}/${row.phase}`,
  rowName: (row) => row.sn,
  isWhole: true,
  facets: {
    key: 'fact',
    label: texts.fact,
    all: texts.all,
    words: phaseFact.options,
    signs: FACT,
    toQuery: (fact: PhaseFact) => ({ fact }),
    useCounts,
  },
  filters: [transformerScope, rangeScope, textFilter('search', texts.search)],
  columns: [
    { key: 'sn', title: texts.sn, width: 160, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'customer', title: texts.customer, value: (row) => row.customerName },
    { key: 'fact', title: texts.fact, width: 220, value: (row) => row.fact, cell: (row) => <StateOf sign={FACT[row.fact]} /> },
    { key: 'phase', title: texts.phase, width: 80, cell: (row) => <PhaseMark phase={row.phase} /> },
    { key: 'times', title: texts.times, width: 90, align: 'right', value: (row) => row.times },
    { key: 'firstAt', title: texts.firstAt, width: 170, time: (row) => row.firstAt },
    { key: 'lastAt', title: texts.lastAt, width: 170, time: (row) => row.lastAt },
  ],
  export: phaseFactExport,
  empty: texts.noFacts,
});
