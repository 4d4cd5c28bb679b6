import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { phase, phaseExport, type PhaseRow } from '@hes/contract/analysis/phase.ts';
import { fill } from '@hes/contract/core/text.ts';
import { SURE, VERY_SURE, type PhaseState } from '@hes/contract/states/phase.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { Sn } from '#kit/basics/text.tsx';
import { choiceFilter, flagFilter, textFilter, wordFilter } from '#kit/list/filters.tsx';
import { defineList, type ListColumn } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { transformerOf, transformerScope } from './address.ts';
import { EvidencePane } from './evidence-pane.tsx';
import { texts } from './messages.ts';
import { isToSend, phaseActions } from './phase-actions.ts';
import { Confidence, Conflict, PhaseMark } from './phase-mark.tsx';
import { PHASE_STATE, PHASE_STATES } from './signs.ts';

/** Minimum confidence in percent, as filter options. */
const LEAST = [100 * VERY_SURE, 100 * SURE, 50].map(String);
/** Poll interval while phases await their dispatch: DCUs confirm it with a delay. */
const ARRIVAL_POLL_MS = 5000;

export const usePhaseSummary = (transformerId = '0') => useApiQuery(phase.summary, { params: { transformerId }, keep: true });

const mark = (
  key: 'recordedPhase' | 'modulePhase' | 'masterPhase' | 'neighbourPhase' | 'finalPhase',
  phaseOf: (row: PhaseRow) => PhaseRow['finalPhase'] | undefined,
  column: Partial<ListColumn<PhaseRow>>,
): ListColumn<PhaseRow> => ({
  key,
  title: texts[key],
  value: phaseOf,
  cell: (row) => <PhaseMark phase={phaseOf(row)} strong={key === 'finalPhase'} />,
  ...column,
});

/** The meters of a transformer with their phases in the archive and by evidence. */
export const phaseList = defineList({
  route: phase.list,
  path: PAGE_PATH.phases,
  at: { tab: 'identification' },
  title: texts.title,
  purpose: texts.purposeIdentify,
  label: texts.identification,
  rowId: (row) => row.meterId,
  rowName: (row) => row.sn,
  sort: 'conflict,desc',
  size: '50',
  refetchMs: ARRIVAL_POLL_MS,
  isAwaited: isToSend,
  facets: {
    key: 'state',
    label: texts.state,
    all: texts.allMeters,
    words: PHASE_STATES,
    signs: PHASE_STATE,
    toQuery: (state: PhaseState) => ({ state }),
    useCounts: ({ transformerId }) => {
      const summary = usePhaseSummary(transformerId);
      return { total: summary.data?.total, counts: summary.data?.byState ?? {}, queries: [summary] };
    },
  },
  filters: [
    transformerScope,
    textFilter('search', texts.sn),
    wordFilter('phase', texts.finalOrRecorded, RECORDED_PHASE_TEXT, { width: 130 }),
    choiceFilter('confidence', texts.confidence, LEAST, { textOf: (percent) => fill(texts.sureFrom, { percent }), width: 140 }),
    flagFilter('isConflict', texts.onlyConflicts, (url) => ({ count: usePhaseSummary(transformerOf(url)).data?.conflicts ?? 0 })),
  ],
  columns: [
    { key: 'sn', title: texts.sn, width: 148, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    { key: 'customer', title: texts.customer, low: true, value: (row) => row.customerName },
    mark('recordedPhase', (row) => row.recordedPhase, { width: 104, sort: 'recordedPhase' }),
    mark('modulePhase', (row) => row.modulePhase, { width: 84, low: true }),
    mark('masterPhase', (row) => row.master?.phase, { width: 84, low: true }),
    mark('neighbourPhase', (row) => row.neighbours?.phase, { width: 100, low: true }),
    mark('finalPhase', (row) => row.finalPhase, { width: 104, sort: 'finalPhase' }),
    {
      key: 'confidence',
      title: texts.confidence,
      width: 150,
      align: 'right',
      sort: 'confidence',
      value: (row) => row.confidence,
      cell: (row) => <Confidence value={row.confidence} />,
    },
    { key: 'state', title: texts.state, width: 158, cell: (row) => <StateOf sign={PHASE_STATE[row.state]} /> },
    {
      key: 'conflict',
      title: texts.conflict,
      width: 168,
      sort: 'conflict',
      value: (row) => (row.isConflict ? 'yes' : ''),
      cell: (row) => <Conflict of={row} />,
    },
  ],
  actions: phaseActions,
  isEveryRowSelectable: true,
  export: phaseExport,
  Pane: EvidencePane,
  isPaneOfRow: true,
  empty: texts.noMeters,
  emptyHint: texts.noMetersHint,
});
