import { LEVEL_TYPE_TEXT, type LevelRow } from '@hes/contract/asset/level.ts';
import { transformer, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { to } from '@hes/contract/page/links.ts';
import { Tabs } from 'antd';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { percent } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { TRANSFORMER } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import styles from './network.module.css';

const SHOWN = 100;
type Tab = 'children' | 'transformers';

function Transformers({ level }: { level: LevelRow }) {
  const t = useMessages(texts);
  const list = useApiQuery(transformer.list, { query: { node: `level:${level.id}`, size: SHOWN }, keep: ['node'] });
  const columns: Column<TransformerRow>[] = [
    { key: 'name', title: t('name'), width: 190, cell: (row) => <Link to={to.transformers({ sel: row.id })}>{row.name}</Link> },
    { key: 'code', title: t('code'), width: 130, mono: true, cell: (row) => row.code },
    { key: 'address', title: t('address'), cell: (row) => <span title={row.address ?? undefined}>{row.address ?? '—'}</span> },
    { key: 'capacity', title: t('capacity'), width: 110, align: 'right', cell: (row) => <Num value={row.capacityKva} unit="kVA" /> },
    { key: 'dcus', title: t('dcus'), width: 104, align: 'right', cell: (row) => <Num value={row.dcus} /> },
    { key: 'meters', title: t('meters'), width: 86, align: 'right', cell: (row) => <Num value={row.meters} /> },
    { key: 'state', title: t('state'), width: 160, cell: (row) => <StateOf sign={TRANSFORMER[row.state]} /> },
  ];
  return (
    <PanelState query={list} lines={6}>
      {(data) => (
        <>
          <DataTable
            label={t('transformersTab')}
            columns={columns}
            rows={data.items}
            rowKey={(row) => row.id}
            stale={list.isPlaceholderData}
            // @spec seed §8: a node without data
            empty={<Empty text={level.dcus === 0 && level.meters === 0 ? t('noSn') : t('noTransformers')} hint={t('noTransformers')} />}
          />
          {data.total > data.items.length ? (
            <p className={styles['hint']}>
              <Link to={to.transformers({ node: `level:${level.id}` })}>{`${t('openTransformers')} (${data.total})`}</Link>
            </p>
          ) : null}
        </>
      )}
    </PanelState>
  );
}

/** Columns of levels with the counts of everything below them. */
function useLevelColumns(): Column<LevelRow>[] {
  const t = useMessages(texts);
  const say = useSay();
  return [
    { key: 'name', title: t('name'), width: 170, cell: (row) => <span title={row.name}>{row.name}</span> },
    { key: 'code', title: t('code'), width: 130, mono: true, cell: (row) => row.code },
    { key: 'type', title: t('type'), width: 110, cell: (row) => say(LEVEL_TYPE_TEXT[row.type]) },
    {
      key: 'transformers',
      title: t('transformers'),
      width: 112,
      align: 'right',
      value: (row) => row.transformers,
      cell: (row) => <Num value={row.transformers} />,
    },
    { key: 'dcus', title: t('dcus'), width: 104, align: 'right', value: (row) => row.dcus, cell: (row) => <Num value={row.dcus} /> },
    { key: 'meters', title: t('meters'), width: 86, align: 'right', value: (row) => row.meters, cell: (row) => <Num value={row.meters} /> },
    {
      key: 'online',
      title: t('online'),
      width: 90,
      align: 'right',
      value: (row) => row.dcusOnline,
      cell: (row) => (row.dcus === 0 ? '—' : `${percent(row.dcusOnline, row.dcus, 1)} %`),
    },
    { key: 'updated', title: t('updated'), width: 150, cell: (row) => dateTime(row.updatedAt) },
  ];
}

/** All levels with their counts, while none is selected: a click selects one. */
export function LevelOverview({ levels, onSelect }: { levels: LevelRow[]; onSelect: (id: string) => void }) {
  const t = useMessages(texts);
  const columns = useLevelColumns();
  return <DataTable label={t('levels')} columns={columns} rows={levels} rowKey={(row) => row.id} onSelect={(row) => onSelect(row.id)} />;
}

interface LevelTabsProps {
  level: LevelRow;
  levels: LevelRow[];
  /** Undefined: the one that has rows. */
  tab: Tab | undefined;
  onTab: (tab: Tab) => void;
  onSelect: (id: string) => void;
}

/** The children of the selected level, and the transformers at or under it. */
export function LevelTabs({ level, levels, tab, onTab, onSelect }: LevelTabsProps) {
  const t = useMessages(texts);
  const may = useMay();
  const children = levels.filter((other) => other.parentId === level.id);
  const columns = useLevelColumns();
  const items = [
    {
      key: 'children',
      label: `${t('children')} (${children.length})`,
      children: (
        <DataTable
          label={t('children')}
          columns={columns}
          rows={children}
          rowKey={(row) => row.id}
          onSelect={(row) => onSelect(row.id)}
          empty={<Empty small text={t('noChildren')} />}
        />
      ),
    },
    ...(may(transformer.list)
      ? [
          {
            key: 'transformers',
            label: `${t('transformersTab')} (${level.transformers})`,
            children: <Transformers key={level.id} level={level} />,
          },
        ]
      : []),
  ];
  return (
    <Tabs
      className={styles['tabs'] ?? ''}
      activeKey={tab ?? (children.length === 0 && level.transformers > 0 && may(transformer.list) ? 'transformers' : 'children')}
      items={items}
      destroyOnHidden
      onChange={(next) => onTab(next === 'transformers' ? next : 'children')}
    />
  );
}
