import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { discovery, type DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { QueryOf } from '@hes/contract/core/route.ts';
import { nameText, type Text } from '@hes/contract/core/text.ts';
import { recordedPhase } from '@hes/contract/states/device.ts';
import type { DiscoveryMatch } from '@hes/contract/states/discovery.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { discoveryExport } from '@hes/contract/transfer/devices.ts';
import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { startOfDay } from '#core/time/format.ts';
import { Model } from '#domain/models/model.tsx';
import { nodeScope } from '#domain/node-tree/list-filter.tsx';
import { MATCH, MATCH_ORDER } from '#domain/states/tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import { choiceFilter, textFilter, wordFilter, yesNoFilter, type Filter, type FilterProps } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { foundActions } from './found-actions.ts';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const POLL_MS = 30_000;
const FORMAT = 'YYYY-MM-DD';
const PHASES = recordedPhase.exclude(['unknown']).options;
const WIDE = { width: 148 };

const BARS = { outstanding: 5, excellent: 4, good: 3, poor: 2, fail: 1, no_signal: 0 } as const;
const TONES = { outstanding: 'ok', excellent: 'ok', good: 'ok', poor: 'amber', fail: 'red', no_signal: 'none' } as const;
const STEPS = [1, 2, 3, 4, 5];

/** Bars and text, so that colour is not needed. */
function Signal({ row, say }: { row: Pick<DiscoveredRow, 'signal' | 'signalValue' | 'signalUnit'>; say: (text: Text) => string }) {
  return (
    <span className={styles['signal']} title={row.signalValue === null ? undefined : `${row.signalValue} ${row.signalUnit}`}>
      <svg width="18" height="14" viewBox="0 0 18 14" aria-hidden="true">
        {STEPS.map((step) => (
          <rect
            key={step}
            x={(step - 1) * 3.6}
            y={12 - step * 2.2}
            width="2.6"
            height={step * 2.2 + 1}
            rx="0.6"
            fill={step <= BARS[row.signal] ? `var(--${TONES[row.signal]}-solid)` : 'var(--line-strong)'}
          />
        ))}
      </svg>
      {say(SIGNAL_TEXT[row.signal])}
    </span>
  );
}

function decisionOf(row: DiscoveredRow, { say }: Pick<ListTools, 'say'>): string {
  if (row.ignoredUntil !== null || row.ignoreReason !== null)
    return [row.ignoreReason, row.ignoredUntil ? say(texts.ignoredUntil, { day: row.ignoredUntil.slice(0, 10) }) : '']
      .filter(Boolean)
      .join(' · ');
  if (row.otherDcuSns.length > 0)
    return [
      say(texts.elsewhere, { sns: row.otherDcuSns.join(', ') }),
      row.otherSignalValue === null ? '' : say(texts.signalThere, { value: row.otherSignalValue }),
    ]
      .filter(Boolean)
      .join(' · ');
  return row.nameplate?.logicalDeviceName ?? '—';
}

function useCounts({ node }: Partial<QueryOf<typeof discovery.list>>): FacetCounts<DiscoveryMatch> {
  const facets = useApiQuery(discovery.facets, { query: { node }, keep: ['node'], refetchMs: POLL_MS });
  return { total: facets.data?.total, counts: facets.data?.match ?? {}, queries: [facets] };
}

/** Meters that were first heard on this day or later. */
const sinceFilter: Filter<{ firstSeenSince?: string }> = {
  keys: ['firstSeenSince'],
  toQuery: ({ firstSeenSince: day }) => (day === undefined ? {} : { firstSeenSince: startOfDay(day) }),
  Control: function Since({ url: { firstSeenSince: day }, onChange }: FilterProps) {
    const t = useMessages(texts);
    return (
      <DatePicker
        style={{ width: 170 }}
        placeholder={t('foundSince')}
        aria-label={t('foundSince')}
        value={day === undefined ? null : dayjs(day)}
        onChange={(next: dayjs.Dayjs | null) => onChange({ firstSeenSince: next?.format(FORMAT) })}
      />
    );
  },
};

/** The meters that DCUs have heard. */
export const foundList = defineList({
  route: discovery.list,
  path: PAGE_PATH.meterAssets,
  at: { tab: 'search' },
  title: texts.searchTab,
  purpose: texts.purpose,
  rowName: (row) => row.sn,
  size: '50',
  refetchMs: POLL_MS,
  reloads: discovery.runs.path,
  facets: {
    key: 'match',
    label: texts.match,
    all: texts.allFound,
    words: MATCH_ORDER,
    signs: MATCH,
    toQuery: (match: DiscoveryMatch) => ({ match }),
    useCounts,
  },
  filters: [
    /** Chosen in the tree beside the list. */
    nodeScope,
    textFilter('sn', texts.sn, { width: 180 }),
    wordFilter('signal', texts.signal, SIGNAL_TEXT, WIDE),
    choiceFilter('phase', texts.phase, PHASES, { ...WIDE, textOf: (phase) => nameText(phase.toUpperCase()) }),
    sinceFilter,
    yesNoFilter('decided', texts.decision, { ...WIDE, yes: texts.isDecided, no: texts.isUndecided }),
  ],
  columns: [
    { key: 'sn', title: texts.sn, width: 144, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'match', title: texts.match, width: 164, cell: (row) => <StateOf tag sign={MATCH[row.match]} /> },
    { key: 'address', title: texts.address, width: 132, low: true, mono: true, cell: (row) => row.address || '—' },
    { key: 'dcu', title: texts.dcu, width: 122, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'mode', title: texts.modeShort, width: 66, cell: (row, { say }) => say(texts[row.communicationMode]) },
    {
      key: 'phase',
      title: texts.phase,
      width: 118,
      cell: (row, { say }) => (
        <span>
          {row.phase === 'unknown' ? '—' : row.phase.toUpperCase()}
          {row.recordedPhase === null ? null : (
            <span className={styles['warn']}> {say(texts.phaseRecorded, { phase: row.recordedPhase.toUpperCase() })}</span>
          )}
        </span>
      ),
    },
    {
      key: 'hops',
      title: texts.hops,
      width: 62,
      low: true,
      align: 'right',
      value: (row) => row.hops,
    },
    {
      key: 'signal',
      title: texts.signal,
      width: 140,
      value: (row) => row.signalValue,
      cell: (row, { say }) => <Signal row={row} say={say} />,
    },
    { key: 'protocol', title: texts.protocol, width: 124, low: true, cell: (row, { say }) => say(texts[row.protocol]) },
    { key: 'firstSeen', title: texts.firstSeen, width: 164, low: true, time: (row) => row.firstSeen },
    { key: 'lastSeen', title: texts.lastSeen, width: 164, time: (row) => row.lastSeen },
    {
      key: 'timesSeen',
      title: texts.timesSeen,
      width: 92,
      low: true,
      align: 'right',
      value: (row) => row.timesSeen,
    },
    {
      key: 'suggestedType',
      title: texts.suggestedType,
      width: 140,
      cell: (row) => (row.suggestedTypeName === null ? '—' : <Model name={row.suggestedTypeName} />),
    },
    {
      key: 'decision',
      title: texts.decision,
      width: 180,
      cell: (row, tools) => <span title={decisionOf(row, tools)}>{decisionOf(row, tools)}</span>,
    },
  ],
  actions: foundActions,
  export: discoveryExport,
  empty: texts.nothingHeard,
  emptyHint: texts.nothingHeardHint,
});
