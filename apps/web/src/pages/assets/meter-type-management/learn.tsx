import { meterType as routes, type LearntLine, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { task as tasks } from '@hes/contract/task/task.ts';
import { App, Button, Checkbox, Drawer, Input, Select } from 'antd';
import { GraduationCap } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Empty, Failure, PanelState } from '#kit/basics/states.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM, ONLINE } from '#domain/states/tables.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';
import styles from './type.module.css';

const POLL_MS = 1500;

const SIGNS: Record<LearntLine['difference'], Sign> = {
  same: { ...ITEM.read_success, text: texts.same },
  added: { shape: 'disc', tone: 'run', text: texts.added },
  removed: { ...ITEM.read_fail, text: texts.removed },
  unknown: { shape: 'dashed', tone: 'none', text: texts.unknown },
};

interface ProposalProps {
  type: MeterTypeRow;
  taskId: string;
  onTaken: () => void;
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
                label={t('learn')}
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

function Run(props: ProposalProps) {
  const t = useMessages(texts);
  const say = useSay();
  useTopic(`task:${props.taskId}`);
  const items = useApiQuery(tasks.items, { params: { id: props.taskId }, refetchMs: POLL_MS });
  const [item] = items.data?.items ?? [];
  if (item?.state === 'read_success') return <Proposal {...props} />;
  if (item?.state === 'read_fail' && item.reasonCode) return <Failure error={new Error(say(REASONS[item.reasonCode as ReasonCode]))} />; // as: only reasons are written
  return <StateOf tag sign={{ ...ITEM.reading, text: texts.reading }} extra={t('loading')} />;
}

/** Reads the object list of a live meter and proposes a template. */
export function Learn({ row: type, onDone, onClose }: DialogProps<MeterTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [chosen, setChosen] = useState<{ value: string; label: ReactNode }>();
  const [search, setSearch] = useState('');
  const [taskId, setTaskId] = useState<string>();
  const candidates = useApiQuery(routes.candidates, { params: { id: type.id }, query: { search: search || undefined }, keep: true });
  const order = useApiMutation(routes.learn, { success: (data) => setTaskId(data.taskId) });
  return (
    <Drawer open size={860} title={`${t('learn')} · ${type.name}`} onClose={onClose}>
      <div className={styles['run']}>
        <p className={styles['hint']}>{t('learnHint')}</p>
        <PanelState query={candidates} isEmpty={(data) => data.items.length === 0 && search === ''} empty={<Empty text={t('noMeter')} />}>
          {(data) => (
            <div className={styles['order']}>
              <Select
                showSearch={{ filterOption: false, onSearch: setSearch }}
                style={{ width: 400 }}
                placeholder={t('chooseMeter')}
                aria-label={t('chooseMeter')}
                labelInValue
                value={chosen}
                options={data.items.map((meter) => ({
                  value: meter.id,
                  label: `${meter.sn} · ${meter.dcuSn} · ${say(ONLINE[meter.onlineStatus].text)}`,
                  disabled: meter.onlineStatus !== 'online',
                }))}
                onChange={setChosen}
              />
              <Button
                type="primary"
                icon={<GraduationCap size={15} aria-hidden="true" />}
                disabled={chosen === undefined || !may(routes.learn)}
                loading={order.isPending}
                onClick={() => chosen !== undefined && order.mutate({ params: { id: type.id }, body: { meterId: chosen.value } })}
              >
                {t('start')}
              </Button>
            </div>
          )}
        </PanelState>
        {order.error ? <Failure error={order.error} /> : null}
        {taskId ? <Run key={taskId} type={type} taskId={taskId} onTaken={onDone} /> : null}
      </div>
    </Drawer>
  );
}
