import { isOver, task, type TaskItemRow, type TaskRow } from '@hes/contract/task/task.ts';
import { RUN_WORDS } from '@hes/contract/page/links.ts';
import { useCallback, useMemo, type ReactNode } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useChangingRun } from '#domain/live/changed-by-run.ts';
import { useTopic } from '#core/live/live.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Failure, PanelState, Skeleton } from '#kit/basics/states.tsx';
import { MeterWall } from '#domain/meter-wall/meter-wall.tsx';
import { ItemPane } from './item-pane.tsx';
import type { RecentProps } from './recent-runs.tsx';
import type { RunColumn } from './run-columns.tsx';
import { countStates, hasEnded } from './run-counts.ts';
import { RunHead } from './run-head.tsx';
import { RunResults } from './run-results.tsx';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

/** Query parameters of a run, in addition to its id. */
/** Fallback for live messages that were lost while the link was down. */
const RUNNING_POLL_MS = 10_000;
const ITEMS_SIZE = 1000;

export interface LiveRunProps {
  /** Id of the task. */
  id: string;
  /** The kind of runs in the list of recent runs. */
  recent?: RecentProps;
  /** The result columns of this kind of run. Must be stable between renders. */
  columns: (run: TaskRow) => RunColumn[];
  /** The columns in a file, when their units depend on the responses of the devices. */
  exported?: (run: TaskRow, rows: TaskItemRow[]) => RunColumn[];
  /** Results of the selected device, shown above its frames. */
  detail?: (item: TaskItemRow) => ReactNode;
  /** Opens another run of the same kind. */
  onOpen: (taskId: string) => void;
}

/**
 * A running or finished task: head with counts, pace and actions, the wall, the result rows, and the selected device with its frames. Fills
 * two grid columns: the middle and the right pane.
 */
export function LiveRun({ id, recent = {}, columns, exported, detail, onOpen }: LiveRunProps) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(RUN_WORDS);
  useTopic(`task:${id}`);
  const params = { id };
  // Live messages update all three queries; each also polls until it has seen the end, in case a message is lost.
  const run = useApiQuery(task.get, { params, refetchMs: (row) => (row && hasEnded(row) ? false : RUNNING_POLL_MS) });
  useChangingRun(run.data?.kind);
  const pollUntil = (isAtEnd: boolean) => (isAtEnd && run.data && hasEnded(run.data) ? false : RUNNING_POLL_MS);
  const wall = useApiQuery(task.byDcu, { params, refetchMs: (data) => pollUntil(!data?.items.some(({ cells }) => !cells.every(isOver))) });
  const items = useApiQuery(task.items, {
    params,
    query: { size: ITEMS_SIZE },
    refetchMs: (data) => pollUntil(data === undefined || data.items.every(isOver)),
  });
  const counts = useMemo(() => countStates(wall.data?.items ?? []), [wall.data]);
  const rows = items.data?.items ?? [];
  const select = useCallback((sel: string | undefined) => setUrl({ sel }), [setUrl]);
  // The columns depend on the order only: without this memo each change of a count would render every row again.
  const own = useMemo(
    () => (run.data ? columns(run.data) : []),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- of the run, they look at its order only
    [run.data?.params, columns],
  );

  const { kind = '', params: ordered } = run.data ?? {};
  // Counts change with every message, words do not: a stable order lets the wall keep what has not changed.
  const of = useMemo(() => ({ kind, ...(ordered ? { params: ordered } : {}) }), [kind, ordered]);

  if (run.data === undefined)
    return (
      <Panel className={styles['middle']}>
        {run.isError ? <Failure error={run.error} onRetry={() => void run.refetch()} /> : <Skeleton lines={8} />}
      </Panel>
    );
  const selected = rows.find((row) => row.id === url.sel);
  return (
    <>
      <div className={styles['middle']}>
        <RunHead run={run.data} counts={counts} recent={recent} onOpen={onOpen} />
        <Panel flush className={styles['wallPanel']}>
          <PanelState query={wall}>
            {(data) => <MeterWall label={t('wall')} of={of} groups={data.items} selected={url.sel} onSelect={select} />}
          </PanelState>
        </Panel>
        {items.isError && !items.data ? (
          <Panel>
            <Failure error={items.error} onRetry={() => void items.refetch()} />
          </Panel>
        ) : (
          <RunResults
            run={run.data}
            columns={own}
            exported={exported ? (filed) => exported(run.data, filed) : undefined}
            items={rows}
            counts={counts}
            filter={url.state}
            selected={url.sel}
            onFilter={(state) => setUrl({ state })}
            onSelect={select}
          />
        )}
      </div>
      <ItemPane key={url.sel} of={run.data} item={selected}>
        {selected && detail ? detail(selected) : null}
      </ItemPane>
    </>
  );
}
