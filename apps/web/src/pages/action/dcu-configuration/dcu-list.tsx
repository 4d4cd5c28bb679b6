import type { PageWords } from '@hes/contract/page/links.ts';
import { dcuConfig, type DcuConfigRow } from '@hes/contract/action/dcu-config.ts';
import { Checkbox, Pagination, Select } from 'antd';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopics } from '#core/live/live.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { LevelSelect } from '#domain/node-tree/level-select.tsx';
import { useOpeningDcu } from '#domain/node-tree/use-opening.ts';
import { OpenOrderMark } from '#domain/states/open-order.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import styles from './dcu-config.module.css';

const POLL_MS = 15_000;
const SIZE = 50;
const FILTER_WIDTH = 152;

type DcuUrl = PageWords<'dcuConfiguration'>;

interface DcuListProps {
  url: DcuUrl;
  setUrl: (change: DcuUrl) => void;
  checked: ReadonlySet<string>;
  onCheck: (id: string, on: boolean) => void;
}

function Summary({ row }: { row: DcuConfigRow }) {
  const t = useMessages(texts);
  if (row.failed > 0) return <em data-tone="red">{t('failedCount', { count: row.failed })}</em>;
  if (row.differs > 0) return <em data-tone="amber">{t('differsCount', { count: row.differs })}</em>;
  return <small>{t(row.readAt === null ? 'neverRead' : 'inSyncShort')}</small>;
}

/** The list of DCUs: one is displayed, several may be checked for an order. */
export function DcuList({ url, setUrl, checked, onCheck }: DcuListProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const { search, differs, node, type } = url;
  const [level, setLevel] = useState<string>();
  const types = useApiQuery(dcuConfig.types);
  const list = useApiQuery(dcuConfig.list, {
    query: {
      search,
      differs,
      node,
      dcuTypeId: type,
      page: url.page,
      size: SIZE,
    },
    keep: true,
    refetchMs: POLL_MS,
  });
  useOpeningDcu(
    list.data?.items.map(({ id }) => ({ dcuId: id })),
    url.dcu,
    ({ dcuId }) => setUrl({ dcu: dcuId }),
  );
  useTopics((list.data?.items ?? []).flatMap(({ openOrder }) => (openOrder ? [`task:${openOrder.taskId}`] : [])));
  return (
    <Panel flush className={styles['dcus']} title={t('dcus')}>
      <div className={styles['filters']} role="search">
        <TextFilter width={FILTER_WIDTH} label={t('searchFor')} value={search} onChange={(value) => setUrl({ search: value, page: '1' })} />
        <Checkbox
          checked={differs === 'true'}
          onChange={(event) => setUrl({ differs: event.target.checked ? 'true' : undefined, page: '1' })}
        >
          {t('onlyDiffers')}
        </Checkbox>
        <LevelSelect
          aria-label={t('level')}
          placeholder={t('level')}
          value={node?.replace('level:', '') ?? ''}
          name={level}
          onChange={(id, name) => {
            setLevel(name);
            setUrl({ node: `level:${id}`, page: '1' });
          }}
          onClear={() => setUrl({ node: undefined, page: '1' })}
        />
        <Select
          allowClear
          aria-label={t('dcuType')}
          placeholder={t('dcuType')}
          value={type}
          options={(types.data?.items ?? []).map(({ id, name }) => ({ value: id, label: called(name) }))}
          onChange={(value: string | undefined) => setUrl({ type: value, page: '1' })}
        />
      </div>
      <PanelState query={list} lines={12}>
        {(data) =>
          data.items.length === 0 ? (
            <Empty text={t('noMatch')} />
          ) : (
            <>
              <ul className={styles['list']}>
                {data.items.map((row) => (
                  <li key={row.id} data-selected={row.id === url.dcu}>
                    <Checkbox
                      checked={checked.has(row.id)}
                      aria-label={t('select', { sn: row.sn })}
                      onChange={(event) => onCheck(row.id, event.target.checked)}
                    />
                    <button type="button" aria-pressed={row.id === url.dcu} onClick={() => setUrl({ dcu: row.id })}>
                      <span>
                        <Sn sn={row.sn} />
                        <StateOf sign={ONLINE[row.onlineStatus]} />
                      </span>
                      <span>
                        <small>{row.transformerName ?? row.name}</small>
                        {row.openOrder ? <OpenOrderMark order={row.openOrder} /> : <Summary row={row} />}
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
              {data.total > SIZE ? (
                <Pagination
                  className={styles['pages'] ?? ''}
                  align="center"
                  showSizeChanger={false}
                  simple
                  size="small"
                  current={data.page}
                  pageSize={SIZE}
                  total={data.total}
                  onChange={(page) => setUrl({ page: String(page) })}
                />
              ) : null}
            </>
          )
        }
      </PanelState>
    </Panel>
  );
}
