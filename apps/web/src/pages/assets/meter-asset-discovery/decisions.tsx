import { discovery, type DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { Alert, App, Button, Input, Modal, Select } from 'antd';
import { BellOff, Eraser } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { someOf } from '#kit/basics/some-of.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { DialogProps, RunProps } from '#kit/list/action.ts';
import { PageActions } from '#kit/list/page-actions.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { MeterForm } from './meter-form.tsx';
import { ReplaceForm } from './replace-form.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const REASON_MAX = 128;

const idsOf = (rows: readonly DiscoveredRow[]): string[] => rows.map(({ id }) => id);

function nameOf(row: DiscoveredRow): string {
  const signalText = (value: number | null) => (value === null ? [] : [`${value} ${row.signalUnit}`]);
  const elsewhere = row.otherDcuSns.map((sn) => ['→', sn, ...signalText(row.otherSignalValue)].join(' '));
  return [row.sn, row.dcuSn, ...signalText(row.signalValue), ...elsewhere].join(' · ');
}

function Named({ rows }: { rows: readonly DiscoveredRow[] }) {
  return (
    <ul>
      {someOf(rows.map(nameOf)).map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}

/** Replaces a meter by a discovered one. An unknown meter is first added to the inventory, with its keys. */
export function Successor({ row: found, onDone, onClose }: DialogProps<DiscoveredRow>) {
  const [freshId, setFresh] = useState(found.meterId);
  if (freshId !== null)
    return <ReplaceForm fresh={{ id: freshId, sn: found.sn, dcuId: found.dcuId }} onDone={() => onDone()} onClose={onClose} />;
  const { sn, suggestedTypeId, communicationMode, phase } = found;
  const start = {
    sn,
    meterTypeId: suggestedTypeId ?? undefined,
    communicationMode: communicationMode === 'rf' ? ('rf' as const) : ('plc' as const),
    recordedPhase: phase,
  };
  return <MeterForm meter={undefined} start={start} onDone={setFresh} onClose={onClose} />;
}

export function IdentifyRun({ taskId, onClose }: RunProps<DiscoveredRow>) {
  const t = useMessages(texts);
  return <DeviceRun taskId={taskId} title={t('identifyRun')} onClose={onClose} />;
}

function useAdopt(onDone: () => void) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  return useApiMutation(discovery.adopt, {
    success: ({ items }) => {
      void message.success(t('decided', { count: items.length }));
      onDone();
    },
  });
}

/** Registers unknown meters, and binds them to the DCU that heard them. */
export function AddAndBind({ rows, onDone, onClose }: DialogProps<DiscoveredRow>) {
  const t = useMessages(texts);
  const id = useId();
  const options = useApiQuery(meter.options);
  const [meterTypeId, setType] = useState<string>();
  const adopt = useAdopt(() => onDone());
  return (
    <Modal
      open
      centered
      title={t('addBindTitle', { count: rows.length })}
      okText={t('addBind')}
      cancelText={t('cancel')}
      confirmLoading={adopt.isPending}
      onOk={() => adopt.mutate({ body: { action: 'add_bind', ids: idsOf(rows), ...(meterTypeId ? { meterTypeId } : {}) } })}
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('addBindHint')}</p>
      <div className={styles['dialogField']}>
        <label htmlFor={`${id}-type`}>{t('type')}</label>
        <Select
          id={`${id}-type`}
          allowClear
          style={{ width: '100%' }}
          placeholder={t('asSuggested')}
          value={meterTypeId}
          options={(options.data?.types ?? []).map((type) => ({ value: type.id, label: `${type.name} (${type.code})` }))}
          onChange={(value: string | undefined) => setType(value)}
        />
      </div>
      <Named rows={rows} />
      {adopt.error ? <Alert type="error" showIcon role="alert" className={styles['alert'] ?? ''} title={adopt.error.message} /> : null}
    </Modal>
  );
}

/** Hides meters from the list of open decisions, for a time or for good. */
export function Ignore({ rows, onDone, onClose }: DialogProps<DiscoveredRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const id = useId();
  const [until, setUntil] = useState('');
  const adopt = useAdopt(() => onDone());
  return (
    <DangerDialog
      icon={<BellOff size={20} aria-hidden="true" />}
      title={t('ignoreTitle', { count: rows.length })}
      effect=""
      action={t('ignore')}
      about={
        <>
          <Named rows={rows} />
          <div className={styles['dialogField']}>
            <label htmlFor={`${id}-until`}>{t('until')}</label>
            <Input id={`${id}-until`} type="date" value={until} onChange={(event) => setUntil(event.target.value)} />
          </div>
        </>
      }
      reason={{ label: t('reason'), max: REASON_MAX, missing: say(RULES.reason) }}
      busy={adopt.isPending}
      failure={adopt.error?.message}
      onConfirm={(reason) => adopt.mutate({ body: { action: 'ignore', ids: idsOf(rows), reason, ...(until ? { until } : {}) } })}
      onClose={onClose}
    />
  );
}

/** Clears the results of the displayed DCU. */
function ClearList({ dcuId, onDone, onClose }: { dcuId: string; onDone: () => void; onClose: () => void }) {
  const t = useMessages(texts);
  const clear = useApiMutation(discovery.clear, { success: onDone });
  return (
    <DangerDialog
      icon={<Eraser size={20} aria-hidden="true" />}
      title={t('sureToClear')}
      effect={t('clearEffect')}
      action={t('clearList')}
      busy={clear.isPending}
      failure={clear.error?.message}
      onConfirm={() => clear.mutate({ query: { dcuId } })}
      onClose={onClose}
    />
  );
}

/** Decisions about discovered meters. A missing selection is reported when the button is pressed. */
export function Decisions({ list }: { list: ListState<typeof discovery.list> }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [isClearing, setClearing] = useState(false);
  if (!may(discovery.adopt)) return null;
  const dcuId = /^dcu:(.+)$/.exec(list.url['node'] ?? '')?.[1];
  return (
    <div className={styles['actions']}>
      <PageActions list={list} />
      <span className={styles['space']} />
      <Button
        danger
        icon={<Eraser size={15} aria-hidden="true" />}
        onClick={() => (dcuId === undefined ? void message.warning(t('selectNode')) : setClearing(true))}
      >
        {t('clearList')}
      </Button>
      {isClearing && dcuId !== undefined ? (
        <ClearList
          dcuId={dcuId}
          onDone={() => {
            setClearing(false);
            list.changed();
          }}
          onClose={() => setClearing(false)}
        />
      ) : null}
    </div>
  );
}
