import { transformer as routes, type TransformerDcu, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { to } from '@hes/contract/page/links.ts';
import { UtilityPole } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Empty } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM, ONLINE, TRANSFORMER } from '#domain/states/tables.ts';
import { degrees } from './degrees.ts';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

/** Details of a transformer: location, DCUs, and whether its losses can be calculated. */
export function DetailPane({ id, rows, select, buttonsOf }: PaneProps<TransformerRow>) {
  const t = useMessages(texts);
  const query = useApiQuery(routes.get, { params: { id } });
  const columns: Column<TransformerDcu>[] = [
    {
      key: 'sn',
      title: t('dcuSn'),
      width: 140,
      cell: (dcu) => (
        <Link to={to.dcus({ sel: dcu.id })}>
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
      actions={buttonsOf}
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
      onSelect={select}
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
        </>
      )}
    </RecordPane>
  );
}
