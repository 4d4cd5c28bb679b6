import { archive, type ArchiveLogRow } from '@hes/contract/asset/archive.ts';
import { DIFF_TEXT, diffKind } from '@hes/contract/states/archive.ts';
import { taskName } from '@hes/contract/task/words.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime, elapsed } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { itemSign } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './archives.module.css';

const POLL_MS = 30_000;

/** Orders of this archive with user and result; a click opens the run with its frames. */
export function LogPanel({ dcuId, onOpen }: { dcuId: string; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const reason = useReason();
  const query = useApiQuery(archive.log, { query: { dcuId }, refetchMs: POLL_MS });
  const say = useSay();
  const word = (key: string) => {
    const kind = diffKind.safeParse(key).data;
    if (kind !== undefined) return say(DIFF_TEXT[kind]);
    return Object.hasOwn(texts, key) ? say(texts[key as keyof typeof texts]) : key; // as: looked up just now
  };
  const columns: Column<ArchiveLogRow>[] = [
    { key: 'createdAt', title: t('started'), width: 164, cell: (row) => dateTime(row.createdAt) },
    { key: 'kind', title: t('order'), width: 150, cell: (row) => say(taskName(row)) },
    { key: 'operator', title: t('operator'), width: 130, cell: (row) => row.createdByName ?? '—' },
    { key: 'state', title: t('result'), width: 260, cell: (row) => <StateOf sign={itemSign(row, row.state)} /> },
    {
      key: 'counts',
      title: t('counts'),
      cell: (row) =>
        reason(row.reasonCode, row.reasonText) ??
        Object.entries(row.counts)
          .map(([key, value]) => `${value} ${word(key)}`)
          .join(' · '),
    },
    {
      key: 'took',
      title: t('took'),
      width: 90,
      align: 'right',
      cell: (row) => (row.latencyMs === null ? '—' : elapsed(row.latencyMs)),
    },
  ];
  return (
    <Panel flush title={t('log')} className={styles['log']}>
      <PanelState query={query} lines={3}>
        {(data) => (
          <DataTable
            label={t('log')}
            columns={columns}
            rows={data.items}
            rowKey={(row) => row.taskId}
            onSelect={(row) => onOpen(row.taskId)}
            empty={<Empty small text={t('noLog')} />}
          />
        )}
      </PanelState>
    </Panel>
  );
}
