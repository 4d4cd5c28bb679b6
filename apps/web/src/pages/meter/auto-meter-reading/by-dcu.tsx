import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { gap, type DcuCompletenessRow } from '@hes/contract/reading/gap.ts';
import { Button, Popover } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { figure, percent } from '#core/time/number.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import type { DayRange } from './range.ts';
import styles from './reading.module.css';

interface ByDcuProps {
  kind: Kind;
  range: DayRange;
  node: NodeKey | undefined;
}

/** DCUs with missing data, the least complete first. */
export function ByDcu(props: ByDcuProps) {
  const t = useMessages(texts);
  return (
    <Popover trigger="click" placement="bottom" destroyOnHidden content={<Dcus {...props} />}>
      <Button size="small">{t('byDcu')}</Button>
    </Popover>
  );
}

function Dcus({ kind, range, node }: ByDcuProps) {
  const t = useMessages(texts);
  const query = useApiQuery(gap.byDcu, { query: { ...range, profile: kind, node } });
  const columns: Column<DcuCompletenessRow>[] = [
    { key: 'dcu', title: t('dcuSn'), cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'online', title: t('status'), width: 150, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    { key: 'missing', title: t('missing'), width: 90, align: 'right', cell: (row) => figure(Math.max(0, row.expected - row.got)) },
    {
      key: 'rate',
      title: t('rate'),
      width: 100,
      align: 'right',
      cell: (row) => (row.expected > 0 ? `${percent(Math.min(row.got, row.expected), row.expected)} %` : '—'),
    },
  ];
  return (
    <div className={styles['byDcu']}>
      <PanelState query={query} lines={6} isEmpty={(data) => data.items.length === 0} empty={t('noSn')}>
        {(data) => <DataTable label={t('byDcu')} columns={columns} rows={data.items} rowKey={(row) => row.dcuId} />}
      </PanelState>
    </div>
  );
}
