import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { task } from '@hes/contract/task/task.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useTopic } from '#shared/live/live.ts';
import { useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, Failure, PanelState, Skeleton } from '#shared/ui/states.tsx';
import { MeterWall } from '#widgets/meter-wall/meter-wall.tsx';
import { ItemPane } from './item-pane.tsx';
import { OrderPanel } from './order-panel.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { Results } from './results.tsx';
import { countStates, hasEnded } from './run-counts.ts';
import { RunHead } from './run-head.tsx';
import { texts } from './texts.ts';
import { nodesOfKeys, useOrder } from './use-order.ts';
import styles from './on-demand.module.css';

const DEFAULTS = { task: undefined, sel: undefined, state: undefined, targets: undefined };
/** The socket brings every change; this catches what a broken link missed. */
const RUNNING_POLL_MS = 10_000;
const ITEMS_SIZE = 1000;

function Run({ id }: { id: string }) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState(DEFAULTS);
  useTopic(`task:${id}`);
  const params = { id };
  const run = useApiQuery(task.get, { params });
  const poll = run.data && !hasEnded(run.data) ? RUNNING_POLL_MS : false;
  const wall = useApiQuery(task.wall, { params, refetchMs: poll });
  const items = useApiQuery(task.items, { params, query: { size: ITEMS_SIZE }, refetchMs: poll });
  const counts = useMemo(() => countStates(wall.data?.items ?? []), [wall.data]);
  const rows = items.data?.items ?? [];
  const select = useCallback((sel: string) => setUrl({ sel }), [setUrl]);
  const open = (next: string) => setUrl({ task: next, sel: undefined, state: undefined });

  if (run.data === undefined)
    return (
      <Panel className={styles['middle']}>
        {run.isError ? <Failure error={run.error} onRetry={() => void run.refetch()} /> : <Skeleton lines={8} />}
      </Panel>
    );
  return (
    <>
      <div className={styles['middle']}>
        <RunHead run={run.data} counts={counts} onOpen={open} />
        <Panel flush className={styles['wallPanel']}>
          <PanelState query={wall}>
            {(data) => <MeterWall label={t('wall')} groups={data.items} selected={url.sel} onSelect={select} />}
          </PanelState>
        </Panel>
        {items.isError && !items.data ? (
          <Panel>
            <Failure error={items.error} onRetry={() => void items.refetch()} />
          </Panel>
        ) : (
          <Results
            run={run.data}
            items={rows}
            counts={counts}
            filter={url.state}
            selected={url.sel}
            onFilter={(state) => setUrl({ state })}
            onSelect={select}
          />
        )}
      </div>
      <ItemPane key={url.sel} item={rows.find((row) => row.id === url.sel)} />
    </>
  );
}

function NoRun({ onOpen }: { onOpen: (id: string) => void }) {
  const t = useMessages(texts);
  return (
    <Panel className={styles['noRun']} title={t('title')} extra={<RecentRuns current={undefined} onOpen={onOpen} />}>
      <Empty text={t('noRun')} hint={t('noRunHint')} />
    </Panel>
  );
}

function Workplace({ prefilled }: { prefilled: TreeNode[] }) {
  const [url, setUrl] = useUrlState(DEFAULTS);
  const open = (id: string) => setUrl({ task: id, sel: undefined, state: undefined, targets: undefined });
  const order = useOrder(prefilled, open);
  return (
    <div className={styles['page']}>
      <OrderPanel order={order} />
      {url.task ? <Run key={url.task} id={url.task} /> : <NoRun onOpen={open} />}
    </div>
  );
}

export default function OnDemandReadingPage() {
  const [url] = useUrlState(DEFAULTS);
  const keys = url.targets?.split(',') ?? [];
  const prefilled = useQuery({ queryKey: ['targets', url.targets], queryFn: () => nodesOfKeys(keys), enabled: keys.length > 0 });
  if (keys.length > 0 && prefilled.data === undefined) return <Skeleton lines={8} />;
  return <Workplace prefilled={prefilled.data ?? []} />;
}
