import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { to } from '@hes/contract/page/links.ts';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { texts } from './messages.ts';

type Worst = ResponseOf<typeof dashboard.summary>['worstDcus'][number];

const misses = ({ expected, got }: Worst): boolean => got < expected;

/** While no device is chosen: the DCUs with the most missing values, each of which opens by a click. */
export function WhereToLook() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const query = useApiQuery(dashboard.summary, { query: {} });
  const columns: Column<Worst>[] = [
    { key: 'sn', title: t('worstSn'), width: 180, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'transformer', title: t('worstPlace'), width: 260, cell: (row) => row.transformerName ?? '—' },
    { key: 'missing', title: t('worstMissing'), width: 140, align: 'right', cell: (row) => <Num value={row.expected - row.got} /> },
    { key: 'rate', title: t('worstRate'), width: 160, align: 'right', cell: (row) => `${percent(row.got, row.expected, 1) ?? '—'} %` },
  ];
  return (
    <>
      <Empty kind="choose" text={t('choose')} hint={t('chooseHint')} />
      <PanelState query={query} isEmpty={({ worstDcus }) => worstDcus.length === 0} empty={null}>
        {({ worstDcus }) => (
          <Panel flush title={t('worstDcus')} note={t('worstNote')}>
            <DataTable
              label={t('worstDcus')}
              columns={columns}
              rows={worstDcus.filter(misses)}
              rowKey={({ id }) => id}
              empty={<Empty small text={t('worstNone')} />}
              onSelect={({ id }) => void navigate(to.status({ node: `dcu:${id}` }))}
            />
          </Panel>
        )}
      </PanelState>
    </>
  );
}
