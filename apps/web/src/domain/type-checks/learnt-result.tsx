import { meterType as routes, type LearntLine, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { task as tasks, type TaskItemRow } from '@hes/contract/task/task.ts';
import { Alert, App, Button, Checkbox, Input } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Empty, Failure, PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';
import styles from './type-checks.module.css';

const POLL_MS = 1500;

const SIGNS: Record<LearntLine['difference'], Sign> = {
  same: { ...ITEM.read_success, text: texts.same },
  added: { shape: 'disc', tone: 'run', text: texts.added },
  removed: { ...ITEM.read_fail, text: texts.removed },
  unknown: { shape: 'dashed', tone: 'none', text: texts.unknown },
};

interface ProposalProps {
  type: Pick<MeterTypeRow, 'id' | 'name' | 'version'>;
  taskId: string;
  onTaken: () => void;
}

/** Says so where a meter announces more objects than it lists. */
function Unlisted({ result }: { result: TaskItemRow['result'] }) {
  const t = useMessages(texts);
  const listed = result?.objects?.length ?? 0;
  const announced = result?.counts?.['announced'] ?? listed;
  return announced > listed ? <Alert type="warning" showIcon title={t('unlisted', { announced, listed })} /> : null;
}

/** Differences between the meter and the template, and the template proposed for it. */
function Proposal({ type, taskId, onTaken }: ProposalProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [isShort, setShort] = useState(true);
  const [name, setName] = useState(`${type.name} ${new Date().toISOString().slice(0, 10)}`);
  const learnt = useApiQuery(routes.learnt, { params: { id: type.id, taskId } });
  const takeOver = useApiMutation(routes.takeOver, {
    success: (row) => {
      void message.success(t('tookOver', { name: row.name }));
      onTaken();
    },
  });
  const columns: Column<LearntLine>[] = [
    { key: 'difference', title: t('difference'), width: 180, cell: (row) => <StateOf sign={SIGNS[row.difference]} /> },
    {
      key: 'object',
      title: t('object'),
      cell: (row) => (row.nameEn && row.nameZh ? `${row.key} · ${say({ en: row.nameEn, zh: row.nameZh })}` : (row.key ?? '—')),
    },
    { key: 'obis', title: 'OBIS', width: 150, mono: true, cell: (row) => row.object.obis },
    { key: 'class', title: t('class'), width: 66, align: 'right', cell: (row) => row.object.classId },
    { key: 'attribute', title: t('attribute'), width: 86, align: 'right', cell: (row) => row.object.attribute },
  ];
  return (
    <PanelState query={learnt} lines={8}>
      {({ items }) => {
        const count = (difference: LearntLine['difference']) => items.filter((line) => line.difference === difference).length;
        const shown = isShort ? items.filter((line) => line.difference !== 'same') : items;
        return (
          <>
            <div className={styles['summary']} role="status">
              <span>
                {t('proposal', { same: count('same'), added: count('added'), removed: count('removed'), unknown: count('unknown') })}
              </span>
              <Checkbox checked={isShort} onChange={(event) => setShort(event.target.checked)}>
                {t('onlyDifferences')}
              </Checkbox>
            </div>
            <div className={styles['lines']}>
              <DataTable
                label={t('learnt')}
                columns={columns}
                rows={shown}
                rowKey={(row) => `${row.object.classId}/${row.object.obis}/${row.object.attribute}`}
                empty={<Empty small text={t('same')} />}
              />
            </div>
            {may(routes.takeOver) ? (
              <div className={styles['order']}>
                <Input aria-label={t('templateName')} value={name} maxLength={64} onChange={(event) => setName(event.target.value)} />
                <Button
                  type="primary"
                  loading={takeOver.isPending}
                  disabled={name.trim() === ''}
                  onClick={() => takeOver.mutate({ params: { id: type.id, taskId }, body: { name, version: type.version } })}
                >
                  {t('takeOver')}
                </Button>
              </div>
            ) : null}
            {takeOver.error ? <Failure error={takeOver.error} /> : null}
          </>
        );
      }}
    </PanelState>
  );
}

/** The objects that a meter has beside those of its type, and the template proposed for it, once its object list was read. */
export function LearntResult(props: ProposalProps) {
  const t = useMessages(texts);
  const say = useSay();
  useTopic(`task:${props.taskId}`);
  const items = useApiQuery(tasks.items, { params: { id: props.taskId }, refetchMs: POLL_MS });
  const [item] = items.data?.items ?? [];
  if (item?.state === 'read_success')
    return (
      <>
        <Unlisted result={item.result} />
        <Proposal {...props} />
      </>
    );
  if (item?.state === 'read_fail' && item.reasonCode) return <Failure error={new Error(say(REASONS[item.reasonCode as ReasonCode]))} />; // as: only reasons are written
  return <StateOf tag sign={{ ...ITEM.reading, text: texts.reading }} extra={t('loading')} />;
}
