import { nameText } from '@hes/contract/core/text.ts';
import { gap, type GapRow } from '@hes/contract/reading/gap.ts';
import { isFreeze, type GapState } from '@hes/contract/reading/reading.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { NOT_TRIED_TEXT } from '@hes/contract/states/reading.ts';
import { reasonText } from '@hes/contract/core/outcome.ts';
import { gapExport } from '@hes/contract/transfer/readings.ts';
import { CircleSlash } from 'lucide-react';
import { dateTime, hourMinute } from '#core/time/format.ts';
import { DueAt } from '#kit/basics/due-at.tsx';
import { defineJointAction } from '#kit/list/action.ts';
import { choiceFilter, textFilter, type Filter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import { texts } from './columns.tsx';
import { MODES, ofManyMeters, READINGS } from './filters.tsx';
import { placeFilter } from './place.ts';

export const STATES: readonly GapState[] = ['open', 'filled', 'no_data', 'lost'];
const NOTE_MAX = 128;
const MOST_DISMISSED = 500;

export const stateOf = (word: string | undefined): GapState => STATES.find((known) => known === word) ?? 'open';

/** The state, which buttons above the list choose. */
const stateFilter: Filter<{ state: GapState }> = { keys: ['state'], isScope: true, toQuery: ({ state }) => ({ state: stateOf(state) }) };

const dismiss = defineJointAction<GapRow, typeof gap.dismiss>({
  key: 'dismiss',
  label: texts.dismiss,
  icon: CircleSlash,
  route: gap.dismiss,
  when: ({ state }) => state === 'open' || state === 'lost',
  order: (rows, note) => ({ body: { ids: rows.map(({ id }) => id), note } }),
  confirm: {
    title: texts.dismissTitle,
    titleOfMany: texts.dismissTitleOfMany,
    effect: texts.dismissEffect,
    reason: { label: texts.reason, max: NOTE_MAX, missing: texts.reasonMissing },
  },
  done: texts.dismissed,
  batch: { most: MOST_DISMISSED },
});

/** Missing readings with their reason and the time of the next retry. */
export const gapList = defineList({
  route: gap.list,
  path: PAGE_PATH.readings,
  at: { view: 'gaps' },
  title: texts.gaps,
  purpose: texts.gapHint_open,
  rowName: (row) => `${row.meterSn} ${row.day}`,
  size: '100',
  reloads: '/reading/',
  topics: ['reading'],
  filters: [
    placeFilter,
    stateFilter,
    ofManyMeters(textFilter('search', texts.sn, { width: 170 })),
    ofManyMeters(choiceFilter('mode', texts.mode, MODES, { textOf: (mode) => nameText(mode.toUpperCase()), width: 150 })),
    choiceFilter('reading', texts.readingState, READINGS, { textOf: (word) => ITEM[word].text, width: 150 }),
  ],
  columns: [
    {
      key: 'meterSn',
      title: texts.sn,
      width: 150,
      inFiles: ['profile', 'meterSn'],
      cell: (row) => <StatusLink kind="meter" id={row.meterId} sn={row.meterSn} />,
    },
    {
      key: 'dcuSn',
      title: texts.dcuSn,
      width: 140,
      cell: (row) => (row.dcuSn === null || row.dcuId === null ? '—' : <StatusLink kind="dcu" id={row.dcuId} sn={row.dcuSn} />),
    },
    {
      key: 'when',
      title: texts.missingFrom,
      width: 200,
      cell: (row) => (isFreeze(row.profile) ? row.day : `${dateTime(row.fromAt).slice(0, 16)} – ${hourMinute(row.toAt)}`),
    },
    { key: 'missing', title: texts.missing, width: 80, align: 'right', value: (row) => row.missing, decimals: 0 },
    { key: 'reading', title: texts.readingState, width: 140, cell: (row) => <StateOf sign={ITEM[row.reading]} /> },
    {
      key: 'why',
      title: texts.why,
      cell: (row, { say }) =>
        row.note ?? (row.reasonCode === null && row.state === 'filled' ? '—' : say(reasonText(row.reasonCode) ?? NOT_TRIED_TEXT)),
    },
    { key: 'tried', title: texts.triedAt, width: 160, cell: (row) => (row.triedAt === null ? '—' : dateTime(row.triedAt)) },
    { key: 'attempts', title: texts.attempts, width: 80, align: 'right', value: (row) => row.attempts, decimals: 0 },
    {
      key: 'next',
      title: texts.nextTry,
      width: 160,
      inFiles: ['next', 'state'],
      cell: (row) => (row.state === 'open' ? <DueAt at={row.nextTryAt} /> : '—'),
    },
  ],
  actions: [dismiss],
  export: gapExport,
  empty: texts.noGapsOfState,
});
