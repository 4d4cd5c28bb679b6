import { transformer as routes, transformerState, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { idIn, type TreeNode } from '@hes/contract/asset/tree.ts';
import { transformerExport, transformerImport } from '@hes/contract/transfer/assets.ts';
import { App, Button, Segmented, Select } from 'antd';
import { FolderTree, Gauge, Link2, Network, Pencil, Scale } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useOneMoment } from '#shared/api/one-moment.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { NodeTree } from '#widgets/node-tree/node-tree.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { TRANSFORMER, TRANSFORMER_ORDER } from '#widgets/state-of/tables.ts';
import { BindDialog } from './bind-dialog.tsx';
import { columnsOf } from './columns.tsx';
import { DetailPane } from './detail-pane.tsx';
import { MasterDialog, MoveDialog } from './dialogs.tsx';
import { texts } from './messages.ts';
import { TransformerMap } from './place-picker.tsx';
import { TransformerForm } from './transformer-form.tsx';
import styles from './transformer.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'name,asc',
  search: undefined,
  node: undefined,
  hasDcu: undefined,
  hasPosition: undefined,
  state: undefined,
  view: 'table',
  sel: undefined,
};
const NO_FILTERS = { search: undefined, node: undefined, hasDcu: undefined, hasPosition: undefined, state: undefined };
const POLL_MS = 60_000;

type Dialog =
  | { kind: 'form'; row: TransformerRow | undefined }
  | { kind: 'bind' | 'master'; row: TransformerRow }
  | { kind: 'move'; rows: TransformerRow[] };

export default function Transformers() {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const reload = useReload(routes.list);
  useTopic('dcu');
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const [node, setNode] = useState<TreeNode>();
  const state = transformerState.safeParse(url.state).data;
  const filters = { search: url.search, node: url.node, hasDcu: url.hasDcu, hasPosition: url.hasPosition };
  const query = useApiQuery(routes.list, {
    query: { ...filters, state, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const facets = useApiQuery(routes.facets, { query: filters, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(query, facets);
  const isMap = url.view === 'map';
  const chosen = query.data?.items.find((row) => row.id === url.sel);
  const ofChosen = (kind: 'bind' | 'master') => () =>
    chosen ? setDialog({ kind, row: chosen }) : void message.warning(t('selectTransformer'));
  const actionsOf = (row: TransformerRow) => [
    ...(may(routes.update)
      ? [{ key: 'edit', label: t('edit'), icon: <Pencil size={14} aria-hidden="true" />, onClick: () => setDialog({ kind: 'form', row }) }]
      : []),
    ...(may(routes.bindDcus)
      ? [
          {
            key: 'bind',
            label: t('bindDcu'),
            icon: <Link2 size={14} aria-hidden="true" />,
            onClick: () => setDialog({ kind: 'bind', row }),
          },
        ]
      : []),
    ...(may(routes.setMaster)
      ? [
          {
            key: 'master',
            label: t('setMaster'),
            icon: <Gauge size={14} aria-hidden="true" />,
            onClick: () => setDialog({ kind: 'master', row }),
          },
        ]
      : []),
  ];
  const pagesOf = (row: TransformerRow) => {
    const page = (label: string, icon: React.ReactNode, path: string) => ({
      key: path,
      label,
      icon,
      onClick: () => void navigate(`${path}?node=transformer:${row.id}`),
    });
    return [
      page(t('openTopology'), <Network size={14} aria-hidden="true" />, '/meter-management/network/network-topology'),
      page(t('openLoss'), <Scale size={14} aria-hidden="true" />, '/meter-management/mdms/electric-bill'),
    ];
  };
  const done = () => {
    setDialog(undefined);
    reload();
  };
  const either = (key: 'hasDcu' | 'hasPosition') => (
    <Select
      allowClear
      style={{ width: 150 }}
      placeholder={t(key)}
      aria-label={t(key)}
      value={url[key]}
      options={[
        { value: 'true', label: t('yes') },
        { value: 'false', label: t('no') },
      ]}
      onChange={(value) => setUrl(refilter({ [key]: value }))}
    />
  );

  return (
    <div className={styles['page']}>
      <Panel
        title={t('nodes')}
        className={styles['tree']}
        extra={
          url.node ? (
            <Button type="link" size="small" onClick={() => setUrl(refilter({ node: undefined }))}>
              {t('everyTransformer')}
            </Button>
          ) : null
        }
      >
        <NodeTree
          until="level"
          selected={url.node}
          onSelect={(next) => {
            setNode(next);
            setUrl(refilter({ node: next.key === url.node ? undefined : next.key }));
          }}
        />
      </Panel>
      <div className={styles['list']}>
        <RecordList<TransformerRow>
          title={t('title')}
          purpose={t('purpose')}
          routes={routes}
          query={query}
          updatedAt={updatedAt}
          url={url}
          setUrl={setUrl}
          nameOf={(row) => row.name}
          columns={columnsOf(t)}
          exportRoutes={transformerExport}
          filter={{ ...filters, state }}
          path="/assets/transformer"
          everyRow={() => everyRow(routes.list, { ...filters, state, sort: url.sort })}
          actions={
            <>
              <ImportButton routes={transformerImport} what={t('transformers')} onImported={reload} />
              {may(routes.bindDcus) ? (
                <Button icon={<Link2 size={15} aria-hidden="true" />} onClick={ofChosen('bind')}>
                  {t('bindDcu')}
                </Button>
              ) : null}
              {may(routes.setMaster) ? (
                <Button icon={<Gauge size={15} aria-hidden="true" />} onClick={ofChosen('master')}>
                  {t('setMaster')}
                </Button>
              ) : null}
            </>
          }
          facets={
            <FacetStrip
              label={t('state')}
              all={t('allTransformers')}
              total={facets.data?.total}
              facets={TRANSFORMER_ORDER.map((key) => ({ key, sign: TRANSFORMER[key], count: facets.data?.state[key] }))}
              selected={state}
              onSelect={(value) => setUrl(refilter({ state: value }))}
            />
          }
          filters={
            <>
              <Segmented
                aria-label={t('view')}
                value={url.view ?? 'table'}
                options={[
                  { value: 'table', label: t('table') },
                  { value: 'map', label: t('map') },
                ]}
                onChange={(view) => setUrl({ view })}
              />
              <TextFilter label={t('search')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
              {either('hasDcu')}
              {either('hasPosition')}
            </>
          }
          isFiltered={[url.search, url.node, url.hasDcu, url.hasPosition, url.state].some((value) => value !== undefined)}
          onClear={() => setUrl(refilter(NO_FILTERS))}
          empty={t('empty')}
          addLabel={t('addTransformer')}
          onAdd={() => setDialog({ kind: 'form', row: undefined })}
          itemsOf={(row) => [...actionsOf(row), ...pagesOf(row)]}
          {...(may(routes.moveMany)
            ? {
                batch: (take: (then: (rows: TransformerRow[]) => void) => void) => (
                  <Button
                    size="small"
                    icon={<FolderTree size={13} aria-hidden="true" />}
                    onClick={() => take((rows) => setDialog({ kind: 'move', rows }))}
                  >
                    {t('moveToLevel')}
                  </Button>
                ),
              }
            : {})}
          instead={
            isMap ? <TransformerMap key={url.node} node={url.node} selected={url.sel} onSelect={(sel) => setUrl({ sel })} /> : undefined
          }
          isBusy={dialog !== undefined}
          pane={(id, rows) => <DetailPane key={id} id={id} rows={rows} actionsOf={actionsOf} onSelect={(sel) => setUrl({ sel })} />}
        />
      </div>
      {dialog?.kind === 'form' ? (
        <TransformerForm
          row={dialog.row}
          level={node && node.kind === 'level' && node.key === url.node ? { id: idIn('level', node.key), name: node.title } : undefined}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            void message.success(t('saved'));
            done();
          }}
        />
      ) : null}
      {dialog?.kind === 'bind' ? <BindDialog row={dialog.row} onChanged={reload} onClose={() => setDialog(undefined)} /> : null}
      {dialog?.kind === 'master' ? <MasterDialog of={dialog.row} onDone={done} onClose={() => setDialog(undefined)} /> : null}
      {dialog?.kind === 'move' ? <MoveDialog of={dialog.rows} onDone={done} onClose={() => setDialog(undefined)} /> : null}
    </div>
  );
}
