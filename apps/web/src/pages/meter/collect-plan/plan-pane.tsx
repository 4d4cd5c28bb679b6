import { plan as plans, type PlanRow, type PlanRunRow } from '@hes/contract/reading/plan.ts';
import { Link } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { figure, percent } from '#shared/time/number.ts';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { PaneSection } from '#widgets/side-pane/side-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { TASK } from '#widgets/state-of/tables.ts';
import { texts, type T } from './messages.ts';
import { PlanCost } from './plan-cost.tsx';
import styles from './plan.module.css';
import { usePlanPreview } from './use-plan-preview.ts';

const RUNS_SHOWN = 20;
const POLL_MS = 5_000;

/** The result of a run: the state of its task, or the reason why there was none. */
export function RunResult({ run }: { run: PlanRunRow }) {
  const t = useMessages(texts);
  if (run.state === 'skipped') return <span className={styles['skipped']}>{`${t('skipped')}: ${t(run.reason ?? 'still_running')}`}</span>;
  return run.taskState === null ? <span>—</span> : <StateOf sign={TASK[run.taskState]} />;
}

export const rateOf = (run: PlanRunRow | null): string => (run?.total ? `${percent(run.ok ?? 0, run.total, 1)} %` : '—');

const columnsOf = (t: T): Column<PlanRunRow>[] => [
  {
    key: 'at',
    title: t('at'),
    width: 162,
    cell: (run) => (run.taskId ? <Link to={`/action/on-demand-reading?task=${run.taskId}`}>{dateTime(run.at)}</Link> : dateTime(run.at)),
  },
  { key: 'result', title: t('result'), width: 150, cell: (run) => <RunResult run={run} /> },
  { key: 'success', title: t('success'), width: 76, align: 'right', value: (run) => run.ok, cell: (run) => rateOf(run) },
  {
    key: 'queued',
    title: t('meters'),
    width: 84,
    align: 'right',
    value: (run) => run.queued,
    cell: (run) => (
      <span title={run.stillWaiting > 0 ? t('waitOn', { count: run.stillWaiting }) : undefined}>
        {figure(run.queued)}
        {run.stillWaiting > 0 ? ` +${figure(run.stillWaiting)}` : ''}
      </span>
    ),
  },
];

/** Cost and runs of a plan, below its properties. */
export function PlanSections({ row }: { row: PlanRow }) {
  const t = useMessages(texts);
  const runs = useApiQuery(plans.runs, { params: { id: row.id }, query: { size: RUNS_SHOWN }, keep: true, refetchMs: POLL_MS });
  const preview = usePlanPreview(row.id, row);
  return (
    <>
      {row.dcuTasks ? (
        <PaneSection title={t('inDcus')} note={dateTime(row.dcuTasks.at)}>
          <Link to={`/action/on-demand-reading?task=${row.dcuTasks.taskId}`}>
            {t('inDcusCount', { ok: row.dcuTasks.ok, total: row.dcuTasks.total })}
            {row.dcuTasks.failed > 0 ? ` · ${t('inDcusFailed', { count: row.dcuTasks.failed })}` : ''}
          </Link>
        </PaneSection>
      ) : null}
      <PaneSection title={t('runs')} note={String(runs.data?.total ?? '')}>
        <div className={styles['runs']}>
          <PanelState query={runs} lines={4}>
            {(data) => (
              <DataTable
                label={t('runs')}
                columns={columnsOf(t)}
                rows={data.items}
                rowKey={(run) => run.id}
                empty={<Empty small text={t('noRuns')} />}
              />
            )}
          </PanelState>
        </div>
      </PaneSection>
      <div className={styles['paneCost']}>
        <PlanCost query={preview} />
      </div>
    </>
  );
}
