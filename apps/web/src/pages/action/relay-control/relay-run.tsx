import { task, type TaskItemRow, type TaskRow } from '@hes/contract/task/task.ts';
import { Alert, Button } from 'antd';
import { ArrowLeft } from 'lucide-react';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Properties } from '#kit/basics/text.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import { useAboutRelay } from '#domain/device-orders/about-relay.tsx';
import { runColumns } from './run-columns.tsx';
import { texts } from './messages.ts';
import styles from './relay.module.css';

function Result({ item }: { item: TaskItemRow }) {
  const aboutRelay = useAboutRelay();
  return item.result?.relay === undefined ? null : <Properties items={aboutRelay(item.result)} />;
}

/** An order that waits or runs: the state of each relay, and the current behind it. */
export function RelayRun({ id, onOpen, onBack }: { id: string; onOpen: (taskId: string) => void; onBack: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const run = useApiQuery(task.get, { params: { id } });
  const columns = useMemo(() => (of: TaskRow) => runColumns(t, say, of.kind === 'relay_read'), [t, say]);
  return (
    <div className={styles['runPage']}>
      <div className={styles['runBar']}>
        <Button icon={<ArrowLeft size={14} aria-hidden="true" />} onClick={onBack}>
          {t('back')}
        </Button>
        {run.data?.state === 'waiting_approval' ? <Alert type="warning" showIcon title={t('needsSecond')} /> : null}
      </div>
      <div className={styles['run']}>
        <LiveRun id={id} columns={columns} detail={(item) => <Result item={item} />} onOpen={onOpen} />
      </div>
    </div>
  );
}
