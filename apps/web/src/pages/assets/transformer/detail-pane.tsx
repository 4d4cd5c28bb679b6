import { transformer as routes, type TransformerDcu, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { Button } from 'antd';
import { UtilityPole } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Empty } from '#shared/ui/states.tsx';
import { Num, Sn } from '#shared/ui/text.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { PaneSection } from '#widgets/side-pane/side-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ITEM, ONLINE, TRANSFORMER } from '#widgets/state-of/tables.ts';
import { degrees } from './columns.tsx';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

interface DetailPaneProps {
  id: string;
  rows: TransformerRow[];
  actionsOf: (row: TransformerRow) => { key: string; label: string; icon: React.ReactNode; onClick: () => void }[];
  onSelect: (id: string | undefined) => void;
}

/** Details of a transformer: location, DCUs, and whether its losses can be calculated. */
export function DetailPane({ id, rows, actionsOf, onSelect }: DetailPaneProps) {
  const t = useMessages(texts);
  const query = useApiQuery(routes.get, { params: { id } });
  const columns: Column<TransformerDcu>[] = [
    {
      key: 'sn',
      title: t('dcuSn'),
      width: 140,
      cell: (dcu) => (
        <Link to={`/assets/dcu?sel=${dcu.id}`}>
          <Sn sn={dcu.sn} />
        </Link>
      ),
    },
    { key: 'name', title: t('name'), cell: (dcu) => <span title={dcu.name}>{dcu.name}</span> },
    { key: 'status', title: t('status'), width: 110, cell: (dcu) => <StateOf sign={ONLINE[dcu.onlineStatus]} /> },
    { key: 'meters', title: t('meters'), width: 74, align: 'right', cell: (dcu) => <Num value={dcu.meters} /> },
  ];
  return (
    <RecordPane
      id={id}
      rows={rows}
      query={query}
      label={query.data?.name ?? t('title')}
      icon={<UtilityPole size={20} aria-hidden="true" />}
      head={(row) => ({
        title: row.name,
        place: `${row.code} · ${row.levelName}`,
        state: <StateOf tag sign={TRANSFORMER[row.state]} />,
      })}
      actions={(row) =>
        actionsOf(row).map((item, index) => (
          <Button key={item.key} type={index === 0 ? 'primary' : 'default'} icon={item.icon} onClick={item.onClick}>
            {item.label}
          </Button>
        ))
      }
      properties={(row) => [
        { label: t('address'), value: row.address },
        { label: t('longitude'), value: degrees(row.longitude) },
        { label: t('latitude'), value: degrees(row.latitude) },
        { label: t('level'), value: row.levelName },
        { label: t('feeder'), value: row.feederName },
        { label: t('capacity'), value: <Num value={row.capacityKva} unit="kVA" /> },
        { label: `${t('ctRatio')} · ${t('ptRatio')}`, value: `${row.ctRatio} · ${row.ptRatio}` },
        { label: t('publicOrPrivate'), value: t(row.publicOrPrivate) },
        { label: t('masterMeter'), value: row.masterMeterSn ? <Sn sn={row.masterMeterSn} /> : t('noMaster') },
        {
          label: t('lastLoss'),
          value:
            row.lastLossDay === null ? (
              t('noLoss')
            ) : (
              <>
                <Num value={row.lastLossPercent} unit="%" decimals={1} /> · {row.lastLossDay}
              </>
            ),
        },
        {
          label: t('balance'),
          value:
            row.masterMeterId !== null && row.dcus > 0 ? (
              <StateOf sign={{ ...ITEM.read_success, text: texts.available }} />
            ) : (
              <StateOf sign={{ ...ITEM.cancelled, text: texts.notAvailable }} />
            ),
        },
        { label: t('updated'), value: dateTime(row.updatedAt) },
        { label: t('note'), value: row.note },
      ]}
      onSelect={onSelect}
    >
      {(row) => (
        <>
          <PaneSection title={t('dcus')} note={String(row.dcuList.length)}>
            <div className={styles['few']}>
              <DataTable
                label={t('dcus')}
                columns={columns}
                rows={row.dcuList}
                rowKey={(dcu) => dcu.id}
                empty={<Empty small text={t('noDcu')} />}
              />
            </div>
          </PaneSection>
          <PaneSection title={t('details')}>
            <p className={styles['links']}>
              <Link to={`/assets/dcu?node=transformer:${row.id}`}>{t('openDcus')}</Link>
              <Link to={`/meter/auto-meter-reading?node=transformer:${row.id}`}>{t('openReadings')}</Link>
              <Link to={`/meter-management/network/network-topology?node=transformer:${row.id}`}>{t('openTopology')}</Link>
              <Link to={`/meter-management/mdms/electric-bill?node=transformer:${row.id}`}>{t('openLoss')}</Link>
            </p>
          </PaneSection>
        </>
      )}
    </RecordPane>
  );
}
