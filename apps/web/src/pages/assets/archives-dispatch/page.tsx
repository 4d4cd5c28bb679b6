import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { archive, type ArchiveRow } from '@hes/contract/asset/archive.ts';
import { idIn, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import { useMemo, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { useUrlState } from '#core/url/url-state.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import type { ArchiveDialog } from './archive-actions.tsx';
import { BindDialog } from './bind-dialog.tsx';
import { ClearArchives, DeleteFromDcu, UnbindMeters } from './confirmations.tsx';
import { DcuArchive } from './dcu-archive.tsx';
import { DcuHead } from './dcu-head.tsx';
import { DcuList } from './dcu-list.tsx';
import { LogPanel } from './log-panel.tsx';
import { PlanDrawer } from './plan-drawer.tsx';
import { RowPane } from './row-pane.tsx';
import { rowKey, texts } from './texts.ts';
import { DEFAULTS } from './url.ts';
import styles from './archives.module.css';

const POLL_MS = 30_000;
const BADGES = 500;

/** Number of rows to add to or delete from each DCU, shown in the tree. */
function useBadges(): ReadonlyMap<string, number> {
  const query = useApiQuery(archive.summary, { query: { mismatched: 'true', size: BADGES }, refetchMs: POLL_MS });
  return useMemo(() => new Map((query.data?.items ?? []).map((row) => [row.dcuId, row.pending + row.surplus])), [query.data]);
}

/** Compares the meter list of a DCU with that of the head-end; binds, dispatches and confirms. */
export default function ArchivesDispatch() {
  const t = useMessages(texts);
  const say = useSay();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [nodeName, setNodeName] = useState<string>();
  const [rows, setRows] = useState<ArchiveRow[]>([]);
  const [dialog, setDialog] = useState<ArchiveDialog>();
  const [run, setRun] = useState<string>();
  const badges = useBadges();
  useTopic('dcu');
  useTopic(url.dcu === undefined ? undefined : `archive:${url.dcu}`);
  const state = useApiQuery(archive.summary, {
    query: { dcuId: url.dcu, size: 1 },
    enabled: url.dcu !== undefined,
    refetchMs: POLL_MS,
  });
  const summary = state.data?.items[0];
  const why =
    summary === undefined || summary.onlineStatus === 'online'
      ? summary?.activeTaskId
        ? t('busyWhy')
        : undefined
      : say(NOT_ONLINE_TEXT[summary.onlineStatus]);

  const openDcu = (dcu: string, node: NodeKey = `dcu:${dcu}`) => setUrl({ ...DEFAULTS, node, dcu });
  const choose = (node: TreeNode) => {
    setNodeName(node.title);
    if (node.kind === 'dcu') openDcu(idIn('dcu', node.key));
    else setUrl({ ...DEFAULTS, node: node.key });
  };
  const badge = (node: TreeNode) => {
    const count = node.kind === 'dcu' ? badges.get(idIn('dcu', node.key)) : undefined;
    return count ? (
      <span className={styles['badge']} title={t('badge', { count })}>
        {count}
      </span>
    ) : null;
  };
  const close = () => setDialog(undefined);
  const shown = rows.find((row) => rowKey(row) === url.sel);
  return (
    <div className={styles['page']} data-pane={url.dcu && shown ? 'open' : undefined}>
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree until="dcu" selected={url.node ?? (url.dcu ? `dcu:${url.dcu}` : undefined)} onSelect={choose} badge={badge} />
      </Panel>
      <div className={styles['main']}>
        {url.dcu !== undefined ? (
          <PanelState query={state} lines={10} isEmpty={(data) => data.items.length === 0} empty={<Empty text={t('noSn')} />}>
            {({ items: [found] }) =>
              found ? (
                <>
                  <DcuHead summary={found} onOpenRun={setRun} />
                  <DcuArchive
                    key={found.dcuId}
                    summary={found}
                    counts={state}
                    why={why}
                    url={url}
                    setUrl={setUrl}
                    onRows={setRows}
                    onDialog={setDialog}
                    onTask={() => undefined}
                  />
                  <LogPanel dcuId={found.dcuId} onOpen={setRun} />
                </>
              ) : null
            }
          </PanelState>
        ) : url.node !== undefined ? (
          <DcuList
            key={url.node}
            node={url.node}
            name={nodeName ?? t('thisNode')}
            onOpen={(dcu) => openDcu(dcu, url.node)}
            onTask={setRun}
          />
        ) : (
          <Panel label={t('title')} className={styles['table']}>
            <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
          </Panel>
        )}
      </div>
      {url.dcu && shown ? <RowPane row={shown} rows={rows} onSelect={(sel) => setUrl({ sel })} /> : null}
      {summary && dialog?.kind === 'bind' ? <BindDialog summary={summary} onDone={close} onClose={close} /> : null}
      {summary && dialog?.kind === 'plan' ? <PlanDrawer summary={summary} why={why} onTask={() => undefined} onClose={close} /> : null}
      {summary && dialog?.kind === 'clear' ? <ClearArchives summary={summary} onTask={() => undefined} onClose={close} /> : null}
      {dialog?.kind === 'unbind' ? <UnbindMeters rows={dialog.rows} onDone={close} onClose={close} /> : null}
      {summary && dialog?.kind === 'delete' ? (
        <DeleteFromDcu rows={dialog.rows} dcuId={summary.dcuId} onTask={() => undefined} onDone={close} onClose={close} />
      ) : null}
      {run === undefined ? null : (
        <DeviceRun
          taskId={run}
          title={t('log')}
          nameOf={(key) => (key in texts ? t(key as keyof typeof texts) : key)}
          onClose={() => setRun(undefined)} /* as: looked up just now */
        />
      )}
    </div>
  );
}
