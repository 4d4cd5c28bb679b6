import { meter, type MeterRow } from '@hes/contract/asset/meter.ts';
import { to } from '@hes/contract/page/links.ts';
import { Pagination } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { COMMUNICATION_MODE_TEXT } from '@hes/contract/text/device-text.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

const PAGE_SIZE = 50;
const rowKey = (row: MeterRow): string => row.id;

export function MetersTab({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const say = useSay();
  const [page, setPage] = useState(1);
  const query = useApiQuery(meter.list, { query: { node: `dcu:${dcuId}`, page, size: PAGE_SIZE }, keep: true });
  const columns: Column<MeterRow>[] = [
    { key: 'freshness', title: t('freshness'), width: 150, cell: (row) => <StateOf sign={FRESHNESS[row.freshness]} /> },
    {
      key: 'sn',
      title: t('meterSn'),
      width: 138,
      cell: (row) => (
        <Link to={to.readings({ node: `meter:${row.id}` })}>
          <Sn sn={row.sn} />
        </Link>
      ),
    },
    { key: 'customer', title: t('customer'), cell: (row) => row.customerName ?? '—' },
    { key: 'mode', title: t('mode'), width: 72, cell: (row) => say(COMMUNICATION_MODE_TEXT[row.communicationMode]) },
    { key: 'lastReadAt', title: t('lastRead'), width: 154, cell: (row) => (row.lastReadAt ? dateTime(row.lastReadAt) : '—') },
  ];
  return (
    <PanelState query={query} isEmpty={(data) => data.total === 0} empty={<Empty text={t('noMeters')} />}>
      {(data) => (
        <>
          <DataTable label={t('meters')} columns={columns} rows={data.items} rowKey={rowKey} />
          {data.total > PAGE_SIZE ? (
            <footer className={styles['footer']}>
              <Pagination size="small" simple current={page} pageSize={PAGE_SIZE} total={data.total} onChange={setPage} />
            </footer>
          ) : null}
        </>
      )}
    </PanelState>
  );
}
