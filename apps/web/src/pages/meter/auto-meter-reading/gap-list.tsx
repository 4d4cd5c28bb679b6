import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { gap, type GapRow } from '@hes/contract/reading/gap.ts';
import { isFreeze, type Completeness, type GapState } from '@hes/contract/reading/reading.ts';
import { GAP_STATE_TEXT, NOT_TRIED_TEXT } from '@hes/contract/states/reading.ts';
import { App, Button, Segmented } from 'antd';
import { useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ListFooter } from '#kit/page/list-page.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime, hourMinute } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { DueAt } from '#kit/basics/due-at.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { figure } from '#core/time/number.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import { texts, type T } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import type { MeterFilter } from './filters.tsx';
import type { DayRange } from './range.ts';
import { Figures } from './summary.tsx';
import styles from './reading.module.css';

interface GapListProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey };
  chosen: MeterFilter;
  /** State of the reading; undefined: any. */
  reading: string | undefined;
  page: string;
  size: string;
  state: string;
  onState: (state: string) => void;
  onPage: (page: string, size: string) => void;
}

const STATES: GapState[] = ['open', 'filled', 'no_data', 'lost'];
const NOTE_MAX = 128;
const idOf = (row: GapRow) => row.id;

/** An empty list means complete data only if the figures above show no missing readings either. */
function NoGaps({ missing, isFiltered }: { missing: Completeness['missing'] | undefined; isFiltered: boolean }) {
  const t = useMessages(texts);
  if (missing !== undefined && missing.unlisted > 0 && !isFiltered)
    return <Empty text={t('gapsUnlisted', { count: figure(missing.unlisted) })} hint={t('missingTip')} />;
  const isComplete = missing !== undefined && Object.values(missing).every((count) => count === 0);
  return isComplete ? <Empty kind="fine" text={t('noGaps')} hint={t('noGapsHint')} /> : <Empty text={t('noGapsOfState')} />;
}

export const gapColumns = (t: T, say: (text: Text) => string, reason: ReturnType<typeof useReason>): Column<GapRow>[] => [
  { key: 'meterSn', title: t('sn'), width: 150, cell: (row) => <Sn sn={row.meterSn} /> },
  { key: 'dcuSn', title: t('dcuSn'), width: 140, cell: (row) => (row.dcuSn === null ? '—' : <Sn sn={row.dcuSn} />) },
  {
    key: 'when',
    title: t('missingFrom'),
    width: 200,
    cell: (row) => (isFreeze(row.profile) ? row.day : `${dateTime(row.fromAt).slice(0, 16)} – ${hourMinute(row.toAt)}`),
  },
  {
    key: 'missing',
    title: t('missing'),
    width: 80,
    align: 'right',
    value: (row) => row.missing,
    cell: (row) => <Num value={row.missing} decimals={0} />,
  },
  { key: 'reading', title: t('readingState'), width: 140, cell: (row) => <StateOf sign={ITEM[row.reading]} /> },
  {
    key: 'why',
    title: t('why'),
    cell: (row) => row.note ?? reason(row.reasonCode) ?? (row.state === 'filled' ? '—' : say(NOT_TRIED_TEXT)),
  },
  { key: 'tried', title: t('triedAt'), width: 160, cell: (row) => (row.triedAt === null ? '—' : dateTime(row.triedAt)) },
  {
    key: 'attempts',
    title: t('attempts'),
    width: 80,
    align: 'right',
    value: (row) => row.attempts,
    cell: (row) => <Num value={row.attempts} decimals={0} />,
  },
  { key: 'next', title: t('nextTry'), width: 160, cell: (row) => (row.state === 'open' ? <DueAt at={row.nextTryAt} /> : '—') },
];

/** Missing readings with their reason and the time of the next retry. */
export function GapList({ kind, range, target, chosen, reading, page, size, state, onState, onPage }: GapListProps) {
  const t = useMessages(texts);
  const say = useSay();
  const reason = useReason();
  const may = useMay();
  const { message } = App.useApp();
  const [isDismissing, setDismissing] = useState(false);
  const shown = STATES.find((known) => known === state) ?? 'open';
  const query = useApiQuery(gap.list, {
    query: { ...range, ...target, ...chosen, profile: kind, page, size, state: shown, reading },
    keep: true,
  });
  const rows = query.data?.items ?? [];
  const isNarrowed = [chosen.search, chosen.mode, reading].some((value) => value !== undefined);
  const counts = query.isPlaceholderData ? undefined : query.data?.gaps;
  const dismiss = useApiMutation(gap.dismiss, {
    success: ({ changed }) => {
      void message.success(t('dismissed', { count: changed }));
      setDismissing(false);
      void query.refetch();
    },
  });
  const columns = useMemo(() => gapColumns(t, say, reason), [t, say, reason]);
  return (
    <>
      <Figures {...{ kind, range, target, chosen }} figures={query.isPlaceholderData ? undefined : query.data?.figures} />
      <div className={styles['gapBar']}>
        <Segmented
          size="small"
          aria-label={t('gapStates')}
          value={shown}
          onChange={onState}
          options={STATES.map((value) => ({ value, label: `${say(GAP_STATE_TEXT[value])}${counts ? ` ${figure(counts[value])}` : ''}` }))}
        />
        <span className={styles['limit']}>{t(`gapHint_${shown}`)}</span>
        <span className={styles['space']} />
        {may(gap.dismiss) && shown !== 'filled' && shown !== 'no_data' && rows.length > 0 ? (
          <Button size="small" onClick={() => setDismissing(true)}>
            {t('dismiss')}
          </Button>
        ) : null}
      </div>
      <PanelState
        query={query}
        lines={12}
        isEmpty={(data) => data.items.length === 0}
        empty={<NoGaps missing={query.data?.figures.missing} isFiltered={shown !== 'open' || isNarrowed} />}
      >
        {(data) => (
          <>
            <DataTable label={t('gaps')} columns={columns} rows={rows} rowKey={idOf} stale={query.isPlaceholderData} />
            <ListFooter page={data} updatedAt={query.dataUpdatedAt} onPage={onPage} />
          </>
        )}
      </PanelState>
      {isDismissing ? (
        <DangerDialog
          title={t('dismissTitle', { count: rows.length })}
          effect={t('dismissEffect')}
          action={t('dismiss')}
          reason={{ label: t('reason'), max: NOTE_MAX, missing: t('reasonMissing') }}
          busy={dismiss.isPending}
          failure={dismiss.error?.message}
          onConfirm={(note) => dismiss.mutate({ body: { ids: rows.map(idOf), note } })}
          onClose={() => setDismissing(false)}
        />
      ) : null}
    </>
  );
}
