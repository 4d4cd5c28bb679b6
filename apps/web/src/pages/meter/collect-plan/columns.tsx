import type { PlanRow } from '@hes/contract/reading/plan.ts';
import { PLAN_TARGET_TEXT, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import { Switch } from 'antd';
import { useSay } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { OwnClicks } from '#shared/table/row-actions.tsx';
import { dateTime } from '#shared/time/format.ts';
import { DueAt } from '#shared/ui/due-at.tsx';
import { Num } from '#shared/ui/text.tsx';
import type { T } from './messages.ts';
import { rateOf, RunResult } from './plan-pane.tsx';
import styles from './plan.module.css';
import { useSentence } from './use-plan-preview.ts';

export const windowOf = (row: Pick<PlanRow, 'windowFrom' | 'windowTo'>, t: T): string =>
  row.windowFrom === null ? t('anyTime') : `${row.windowFrom} – ${row.windowTo}`;

export function TargetsOf({ row }: { row: PlanRow }) {
  const say = useSay();
  const text = row.targetKind === 'all' ? say(PLAN_TARGET_TEXT.all) : row.targetNames.join(', ');
  return <span title={text}>{text}</span>;
}

/** The description above, the seven fields below. */
function ScheduleCell({ schedule }: { schedule: string }) {
  const sentence = useSentence(schedule);
  return (
    <span className={styles['cell']} title={`${sentence} · ${schedule}`}>
      {sentence}
      <code className="mono">{schedule}</code>
    </span>
  );
}

interface ColumnsOptions {
  t: T;
  say: ReturnType<typeof useSay>;
  mayEdit: boolean;
  switching: string | undefined;
  onEnable: (row: PlanRow, enabled: boolean) => void;
}

export function columnsOf({ t, say, mayEdit, switching, onEnable }: ColumnsOptions): Column<PlanRow>[] {
  return [
    { key: 'name', title: t('name'), width: 170, sort: 'name', cell: (row) => <b title={row.name}>{row.name}</b> },
    { key: 'type', title: t('type'), width: 116, sort: 'type', cell: (row) => say(PLAN_TYPE_TEXT[row.type]) },
    { key: 'targets', title: t('targets'), width: 140, low: true, cell: (row) => <TargetsOf row={row} /> },
    {
      key: 'meters',
      title: t('meters'),
      width: 72,
      align: 'right',
      value: (row) => row.meters,
      cell: (row) => <Num value={row.meters} />,
    },
    { key: 'schedule', title: t('schedule'), width: 300, cell: (row) => <ScheduleCell schedule={row.schedule} /> },
    { key: 'window', title: t('window'), width: 116, low: true, cell: (row) => windowOf(row, t) },
    {
      key: 'priority',
      title: t('priority'),
      width: 88,
      align: 'right',
      sort: 'priority',
      low: true,
      value: (row) => row.priority,
      cell: (row) => row.priority,
    },
    {
      key: 'enabled',
      title: t('enabled'),
      width: 76,
      cell: (row) => (
        <OwnClicks>
          <Switch
            size="small"
            aria-label={`${t('enabled')} ${row.name}`}
            checked={row.enabled}
            disabled={!mayEdit}
            loading={switching === row.id}
            onChange={(enabled) => onEnable(row, enabled)}
          />
        </OwnClicks>
      ),
    },
    {
      key: 'nextRunAt',
      title: t('nextRun'),
      width: 178,
      sort: 'nextRunAt',
      cell: (row) => (row.nextRunAt ? <DueAt at={row.nextRunAt} /> : '—'),
    },
    {
      key: 'lastRunAt',
      title: t('lastRun'),
      width: 178,
      sort: 'lastRunAt',
      low: true,
      cell: (row) => (row.lastRun ? dateTime(row.lastRun.at) : t('never')),
    },
    {
      key: 'lastResult',
      title: t('lastResult'),
      width: 120,
      low: true,
      cell: (row) => (row.lastRun ? <RunResult run={row.lastRun} /> : '—'),
    },
    { key: 'success', title: t('success'), width: 76, align: 'right', value: (row) => row.lastRun?.ok, cell: (row) => rateOf(row.lastRun) },
    {
      key: 'owner',
      title: t('owner'),
      width: 140,
      low: true,
      cell: (row) => <span title={row.isBuiltin ? t('builtin') : undefined}>{row.ownerName ?? (row.isBuiltin ? t('builtin') : '—')}</span>,
    },
  ];
}
