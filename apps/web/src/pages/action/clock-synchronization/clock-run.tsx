import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import { task, type TaskItemRow, type TaskRow } from '@hes/contract/task/task.ts';
import { Button } from 'antd';
import { ArrowLeft, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Properties } from '#kit/basics/text.tsx';
import { useAboutClock } from '#domain/device-orders/about-clock.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import { runColumns } from './run-columns.tsx';
import { texts } from './messages.ts';
import styles from './clock.module.css';

const ITEMS_SIZE = 1000;
const NEEDS_A_PERSON = 'CLOCK_CONFIRM';

const deviceOf = (item: TaskItemRow): DeviceRef =>
  item.meterId === null ? { kind: 'dcu', id: item.dcuId } : { kind: 'meter', id: item.meterId };

function Result({ item }: { item: TaskItemRow }) {
  const aboutClock = useAboutClock();
  return item.result?.clock === undefined ? null : <Properties items={aboutClock(item.result)} />;
}

interface ClockRunProps {
  id: string;
  onOpen: (taskId: string) => void;
  onBack: () => void;
  /** Asks to confirm setting clocks whose deviation is too large for an automatic correction. */
  onConfirm: (devices: DeviceRef[]) => void;
}

/** An order in progress: the deviation of each clock before and after. */
export function ClockRun({ id, onOpen, onBack, onConfirm }: ClockRunProps) {
  const t = useMessages(texts);
  const say = useSay();
  const run = useApiQuery(task.get, { params: { id } });
  const items = useApiQuery(task.items, { params: { id }, query: { size: ITEMS_SIZE } });
  const kind = run.data?.kind;
  const columns = useMemo(() => (of: TaskRow) => runColumns(t, say, of.kind === 'clock_read'), [t, say]);
  const unconfirmed = (items.data?.items ?? []).filter((item) => item.reasonCode === NEEDS_A_PERSON);
  return (
    <div className={styles['runPage']}>
      <div className={styles['runBar']}>
        <Button icon={<ArrowLeft size={14} aria-hidden="true" />} onClick={onBack}>
          {t('backToList')}
        </Button>
        {unconfirmed.length > 0 && kind === 'clock_sync' ? (
          <Button danger icon={<TriangleAlert size={14} aria-hidden="true" />} onClick={() => onConfirm(unconfirmed.map(deviceOf))}>
            {t('confirmRest', { count: unconfirmed.length })}
          </Button>
        ) : null}
      </div>
      <div className={styles['run']}>
        <LiveRun id={id} recent={{ kind }} columns={columns} detail={(item) => <Result item={item} />} onOpen={onOpen} />
      </div>
    </div>
  );
}
