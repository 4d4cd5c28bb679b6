import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { gap, type RefillEstimate } from '@hes/contract/reading/gap.ts';
import { readSource, type ReadSource } from '@hes/contract/reading/reading.ts';
import { task } from '@hes/contract/task/task.ts';
import { Alert, Button, Drawer, InputNumber, Progress, Select } from 'antd';
import { useEffect, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Skeleton } from '#kit/basics/states.tsx';
import { Figures, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import type { MeterFilter } from './filters.tsx';
import type { DayRange } from './range.ts';
import styles from './reading.module.css';

type DcuCost = RefillEstimate['dcus'][number];

interface RefillDrawerProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey };
  chosen: MeterFilter;
  onClose: () => void;
  onDone: () => void;
}

const SIZE = 640;
const DEFAULT_MINUTES = 10;
/** The priorities of the queue that users may choose. */
const PRIORITIES = [3, 5, 9] as const;
const LAST = 9;

/** Estimates the air time of a refill, and orders it. */
export function RefillDrawer({ kind, range, target, chosen, onClose, onDone }: RefillDrawerProps) {
  const t = useMessages(texts);
  const [minutesPerDcu, setMinutes] = useState(DEFAULT_MINUTES);
  const [source, setSource] = useState<ReadSource>('meter');
  const [priority, setPriority] = useState<(typeof PRIORITIES)[number]>(LAST);
  const [taskId, setTaskId] = useState<string>();
  const body = { ...range, ...target, ...chosen, profile: kind, minutesPerDcu, source, priority };
  const estimate = useApiMutation(gap.estimate);
  const order = useApiMutation(gap.refill, { success: (data) => setTaskId(data.taskId) });
  const { mutate } = estimate;
  const { from, to } = range;
  const { node, meterId } = target;
  const { search, mode } = chosen;
  useEffect(() => {
    mutate({ body: { from, to, node, meterId, search, mode, profile: kind, minutesPerDcu } });
  }, [mutate, from, to, node, meterId, search, mode, kind, minutesPerDcu]);
  const cost = estimate.data;
  const columns: Column<DcuCost>[] = [
    { key: 'dcu', title: t('dcuSn'), cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'online', title: t('status'), width: 150, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    { key: 'meters', title: t('meters'), width: 120, align: 'right', cell: (row) => `${figure(row.chosen)} / ${figure(row.meters)}` },
    { key: 'air', title: t('airTime'), width: 110, align: 'right', cell: (row) => elapsed(row.seconds * 1000) },
  ];
  const failure = estimate.error ?? order.error;
  return (
    <Drawer
      open
      size={SIZE}
      title={t('refillTitle', { kind: t(kind), from: range.from, to: range.to })}
      onClose={onClose}
      footer={
        taskId ? null : (
          <div className={styles['drawerFoot']}>
            <Button onClick={onClose}>{t('cancel')}</Button>
            <Button type="primary" disabled={!cost || cost.chosen === 0} loading={order.isPending} onClick={() => order.mutate({ body })}>
              {t('refillMeters', { count: figure(cost?.chosen ?? 0) })}
            </Button>
          </div>
        )
      }
    >
      {failure ? <Alert showIcon type="error" title={failure.message} /> : null}
      {taskId ? (
        <RefillRun id={taskId} onDone={onDone} />
      ) : cost === undefined ? (
        failure ? null : (
          <Skeleton lines={6} />
        )
      ) : (
        <div className={styles['refill']}>
          <Figures
            items={[
              { label: t('gaps'), value: figure(cost.gaps) },
              { label: t('missing'), value: figure(cost.missing) },
              { label: t('meters'), value: figure(cost.meters) },
              { label: t('inBudget'), value: figure(cost.chosen) },
            ]}
          />
          <label className={styles['budget']}>
            {t('budget')}
            <InputNumber
              min={1}
              max={120}
              value={minutesPerDcu}
              onChange={(value) => setMinutes(value ?? DEFAULT_MINUTES)}
              suffix={t('minutes')}
            />
          </label>
          <label className={styles['budget']}>
            {t('refillSource')}
            <Select
              className={styles['wide'] ?? ''}
              value={source}
              options={readSource.options.map((value) => ({ value, label: t(`refillFrom_${value}`) }))}
              onChange={setSource}
            />
          </label>
          <label className={styles['budget']}>
            {t('priority')}
            <Select
              className={styles['wide'] ?? ''}
              value={priority}
              options={PRIORITIES.map((value) => ({ value, label: `${value} · ${t(`priority_${value}`)}` }))}
              onChange={setPriority}
            />
          </label>
          <p className={styles['limit']}>{t('budgetHint')}</p>
          {cost.meters === 0 ? (
            <Alert showIcon type="success" title={t('noGaps')} />
          ) : (
            <DataTable label={t('airTime')} columns={columns} rows={cost.dcus} rowKey={(row) => row.dcuId} />
          )}
        </div>
      )}
    </Drawer>
  );
}

/** Progress of a refill. It continues when the drawer is closed. */
function RefillRun({ id, onDone }: { id: string; onDone: () => void }) {
  const t = useMessages(texts);
  useTopic(`task:${id}`);
  const query = useApiQuery(task.get, { params: { id }, refetchMs: 5000 });
  const run = query.data;
  const isOver = run !== undefined && run.done >= run.total;
  useEffect(() => {
    if (isOver) onDone();
  }, [isOver, onDone]);
  if (run === undefined) return <Skeleton lines={3} />;
  return (
    <div className={styles['refill']} role="status">
      <Progress
        percent={Math.floor((run.done / Math.max(1, run.total)) * 100)}
        status={isOver ? (run.failed > 0 ? 'exception' : 'success') : 'active'}
      />
      <Figures
        items={[
          { label: t('done'), value: `${figure(run.done)} / ${figure(run.total)}` },
          { label: t('succeeded'), value: figure(run.ok) },
          { label: t('failed'), value: figure(run.failed) },
        ]}
      />
      <p className={styles['limit']}>{t('refillGoesOn')}</p>
    </div>
  );
}
