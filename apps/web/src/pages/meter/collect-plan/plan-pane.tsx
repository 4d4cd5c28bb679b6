import { plan as plans, type PlanRow, type PlanRunRow } from '@hes/contract/reading/plan.ts';
import { PLAN_EXECUTION_TEXT, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import { to } from '@hes/contract/page/links.ts';
import { CalendarClock } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { ListTools, PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
import { texts, type T } from './messages.ts';
import { PlanCost } from './plan-cost.tsx';
import { ownerOf, rateOf, resultOf, targetsOf, windowOf } from './plan-texts.tsx';
import styles from './plan.module.css';
import { usePlanPreview } from './use-plan-preview.ts';

const RUNS_SHOWN = 20;
const RUNS_POLL_MS = 5_000;
const PLAN_POLL_MS = 10_000;

const columnsOf = (t: T, say: ListTools['say']): Column<PlanRunRow>[] => [
  {
    key: 'at',
    title: t('at'),
    width: 156,
    cell: (run) => (run.taskId ? <Link to={to.onDemandReading({ task: run.taskId })}>{dateTime(run.at)}</Link> : dateTime(run.at)),
  },
  { key: 'result', title: t('result'), width: 226, cell: (run) => resultOf(run, say) },
  { key: 'success', title: t('success'), width: 70, align: 'right', value: (run) => run.ok, cell: (run) => rateOf(run) },
  {
    key: 'queued',
    title: t('meters'),
    width: 70,
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
function Sections({ row }: { row: PlanRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const runs = useApiQuery(plans.runs, { params: { id: row.id }, query: { size: RUNS_SHOWN }, keep: true, refetchMs: RUNS_POLL_MS });
  const preview = usePlanPreview(row.id, row);
  return (
    <>
      {row.dcuTasks ? (
        <PaneSection title={t('inDcus')} note={dateTime(row.dcuTasks.at)}>
          <Link to={to.onDemandReading({ task: row.dcuTasks.taskId })}>
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
                columns={columnsOf(t, say)}
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

/** The details of a plan. */
export function PlanPane({ id, rows, select, buttonsOf }: PaneProps<PlanRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(plans.get, { params: { id }, refetchMs: PLAN_POLL_MS });
  return (
    <RecordPane<PlanRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data?.name ?? t('title')}
      icon={<CalendarClock size={20} aria-hidden="true" />}
      head={(row) => ({
        title: row.name,
        place: say(PLAN_TYPE_TEXT[row.type]),
        state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
      })}
      actions={(row) => (
        <>
          {buttonsOf(row)}
          <Link to={to.readings()}>{t('openReadings')}</Link>
        </>
      )}
      properties={(row) => [
        { label: t('targets'), value: targetsOf(row, say) },
        { label: t('schedule'), value: <span className="mono">{row.schedule}</span> },
        { label: t('window'), value: windowOf(row, say) },
        ...(row.items.length > 0 ? [{ label: t('items'), value: <span className="mono">{row.items.join(', ')}</span> }] : []),
        { label: t('lookBack'), value: `${row.lookBackDays} ${t('days')}` },
        { label: t('execution'), value: say(PLAN_EXECUTION_TEXT[row.execution]) },
        {
          label: t('retryCount'),
          value: row.retryCount === null ? t('automatic') : t('retries', { count: row.retryCount, minutes: row.retryIntervalMinutes ?? 0 }),
        },
        { label: t('priority'), value: row.priority },
        { label: t('owner'), value: ownerOf(row, say) },
        { label: t('updated'), value: dateTime(row.updatedAt) },
      ]}
      onSelect={select}
    >
      {(row) => <Sections row={row} />}
    </RecordPane>
  );
}
