import { dcu, type DcuSessionRow } from '@hes/contract/asset/dcu.ts';
import { CLOSE_REASON_TEXT } from '@hes/contract/states/device.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime, elapsed, serverNow } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { texts } from './texts.ts';
import styles from './detail.module.css';

const POLL_MS = 30_000;

/** Columns of DCU connections, including those of unidentified callers. */
export function useSessionColumns(): Column<DcuSessionRow>[] {
  const t = useMessages(texts);
  const say = useSay();
  const kib = (bytes: number) => `${figure(bytes / 1024, 1)}`;
  return [
    { key: 'openedAt', title: t('openedAt'), width: 126, cell: (row) => dateTime(row.openedAt).slice(5) },
    {
      key: 'lasted',
      title: t('lasted'),
      width: 70,
      align: 'right',
      cell: (row) => elapsed((row.closedAt ? Date.parse(row.closedAt) : serverNow()) - Date.parse(row.openedAt)),
    },
    {
      key: 'closeReason',
      title: t('closeReason'),
      cell: (row) => (
        <span
          title={row.closeDetail ?? undefined}
          data-reason={row.closeReason ?? 'open'}
          className={row.closeReason ? undefined : styles['open']}
        >
          {row.closeReason ? say(CLOSE_REASON_TEXT[row.closeReason]) : t('stillOpen')}
        </span>
      ),
    },
    { key: 'remote', title: t('remote'), width: 152, mono: true, cell: (row) => row.remote },
    {
      key: 'traffic',
      title: `${t('traffic')} KiB`,
      width: 104,
      align: 'right',
      cell: (row) => `${kib(row.bytesIn)} / ${kib(row.bytesOut)}`,
    },
  ];
}

const rowKey = (row: DcuSessionRow): string => row.id;

export function SessionsTab({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const columns = useSessionColumns();
  const query = useApiQuery(dcu.sessions, { params: { id: dcuId }, refetchMs: POLL_MS });
  return (
    <PanelState query={query} isEmpty={(data) => data.items.length === 0} empty={<Empty text={t('noSessions')} />}>
      {(data) => <DataTable label={t('sessions')} columns={columns} rows={data.items} rowKey={rowKey} />}
    </PanelState>
  );
}
