import { nameText } from '@hes/contract/core/text.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { parameterOf } from '@hes/contract/action/dcu-parameter.ts';
import { Button } from 'antd';
import { ArrowLeft } from 'lucide-react';
import { useMemo } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Properties } from '#kit/basics/text.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { texts } from './messages.ts';
import styles from './dcu-config.module.css';

function Result({ item }: { item: TaskItemRow }) {
  const say = useSay();
  const steps = item.result?.steps;
  if (steps === undefined) return null;
  return (
    <Properties
      items={steps.map((step) => ({
        label: say(parameterOf(step.key)?.text ?? nameText(step.key)),
        value: step.detail ?? step.reasonCode,
      }))}
    />
  );
}

/** A parameter order in progress, DCU by DCU. */
export function ConfigRun({ id, onOpen, onBack }: { id: string; onOpen: (taskId: string) => void; onBack: () => void }) {
  const t = useMessages(texts);
  const columns = useMemo(
    () => (): RunColumn[] => [
      {
        key: 'values',
        title: t('values'),
        align: 'right',
        value: (row) => row.result?.steps?.filter((step) => step.ok).length,
      },
    ],
    [t],
  );
  return (
    <div className={styles['runPage']}>
      <div className={styles['bar']}>
        <Button icon={<ArrowLeft size={14} aria-hidden="true" />} onClick={onBack}>
          {t('back')}
        </Button>
      </div>
      <div className={styles['run']}>
        <LiveRun id={id} columns={columns} detail={(item) => <Result item={item} />} onOpen={onOpen} />
      </div>
    </div>
  );
}
