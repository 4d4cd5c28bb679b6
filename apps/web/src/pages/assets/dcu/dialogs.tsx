import { clock } from '@hes/contract/action/clock.ts';
import { dcu as dcus, type DcuDetail, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Modal } from 'antd';
import { Clock, Power, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { call } from '#shared/api/client.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { LoadedDrawer } from '#shared/form/loaded-drawer.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { someOf } from '#shared/ui/some-of.ts';
import { KeysDrawer } from '#widgets/device-keys/keys-drawer.tsx';
import { messages as keyTexts } from '#widgets/device-keys/messages.ts';
import { DeviceRun } from '#widgets/device-run/device-run.tsx';
import { TransformerSelect } from '#widgets/transformer-select/transformer-select.tsx';
import { texts } from './texts.ts';
import type { DcuDialog } from './dcu-actions.tsx';
import { DcuForm } from './dcu-form.tsx';
import { useUplinkProperties } from './uplink.tsx';
import styles from './dcu.module.css';

const REASON_MAX = 128;

interface DialogProps {
  onDone: () => void;
  onClose: () => void;
}

/** One call per DCU: a refusal does not prevent the other deletions. */
function DeleteDcus({ rows, onDone, onClose }: { rows: DcuRow[]; onDone: (gone: string[]) => void; onClose: () => void }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const remove = async () => {
    setBusy(true);
    const answers = await Promise.all(rows.map(async ({ id }) => ({ id, answer: await call(dcus.remove, { params: { id } }) })));
    setBusy(false);
    const gone = answers.filter(({ answer }) => answer.ok).map(({ id }) => id);
    const refused = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.message]));
    const [reason] = refused;
    if (reason !== undefined && gone.length === 0) return setFailure(reason);
    if (reason === undefined) void message.success(t('removed', { count: gone.length }));
    else void message.warning(t('partly', { done: gone.length, failed: refused.length, reason }), 0);
    onDone(gone);
  };
  return (
    <DangerDialog
      icon={<Trash2 size={20} aria-hidden="true" />}
      title={t('removeTitle')}
      effect={t('removeEffect')}
      action={t('removeDcus', { count: rows.length })}
      about={
        <ul>
          {someOf(rows.map((row) => `${row.sn} · ${row.name}`)).map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      }
      busy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  );
}

function MoveDcus({ rows, onDone, onClose }: { rows: DcuRow[] } & DialogProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [first] = rows;
  const [place, setPlace] = useState<{ id: string | null; name: string | null }>({
    id: rows.length === 1 ? (first?.transformerId ?? null) : null,
    name: rows.length === 1 ? (first?.transformerName ?? null) : null,
  });
  const order = useApiMutation(dcus.move, {
    success: ({ moved }) => {
      void message.success(t('moved', { count: moved }));
      onDone();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  return (
    <Modal
      open
      centered
      title={t('moveTitle', { count: rows.length })}
      okText={t('moveTo')}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={() => order.mutate({ body: { ids: rows.map((row) => row.id), transformerId: place.id } })}
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('moveHint')}</p>
      <TransformerSelect
        label={t('transformer')}
        placeholder={t('noTransformer')}
        value={place.id}
        name={place.name}
        onChange={(id, name) => setPlace({ id, name })}
      />
    </Modal>
  );
}

/** The run of an order that needed no form. */
function Run({ taskId, title, onClose }: { taskId: string; title: string; onClose: () => void }) {
  const t = useMessages(texts);
  const client = useQueryClient();
  const uplinkProperties = useUplinkProperties();
  const nameOf = (key: string) => {
    const word = INFO_WORDS[key];
    return word === undefined ? key : t(word);
  };
  const wordOf = (key: string, value: string | number) => {
    const word = ANSWER_WORDS[key]?.[value];
    return word && t(word);
  };
  return (
    <DeviceRun
      taskId={taskId}
      title={title}
      nameOf={nameOf}
      wordOf={wordOf}
      about={({ uplink }) => (uplink ? uplinkProperties(uplink) : [])}
      onClose={() => {
        void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(dcus.list.path) });
        onClose();
      }}
    />
  );
}

/** Labels of the values that a DCU returns. */
const INFO_WORDS: Record<string, keyof typeof texts> = {
  LDN: 'ldn',
  SN: 'serial',
  FWID_DCU: 'firmware',
  CLOCK: 'clock',
  TCP_UDP: 'dlmsPort',
  IPV4: 'ownAddress',
  GSM: 'modem',
  MAC: 'macAddress',
  PPP: 'pppUser',
  GPRS: 'apn',
  AUTO_CONNECT_MODE: 'calls',
  AUTO_CONNECT: 'callsWhom',
  NTP_ACTIVE: 'ntpActive',
  NTP: 'ntpServer',
  archiveEntries: 'entries',
};

/** Labels of values that are numbers in the protocol. */
const ANSWER_WORDS: Record<string, Record<string, keyof typeof texts>> = {
  AUTO_CONNECT_MODE: { 0: 'callsNever', 101: 'callsAlways', 104: 'callsOnDemand' },
  NTP_ACTIVE: { true: 'isOn', false: 'isOff' },
};

function Restart({ row, onClose }: { row: DcuRow; onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const [taskId, setTaskId] = useState<string>();
  const order = useApiMutation(dcus.restart, { success: (answer) => setTaskId(answer.taskId) });
  if (taskId !== undefined) return <DeviceRun taskId={taskId} title={t('restartRun', { sn: row.sn })} onClose={onClose} />;
  return (
    <DangerDialog
      icon={<Power size={20} aria-hidden="true" />}
      title={t('restartTitle', { sn: row.sn })}
      effect={t('restartEffect')}
      action={t('restart')}
      reason={{ label: t('reason'), max: REASON_MAX, missing: say(RULES.reason) }}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={(reason) => order.mutate({ params: { id: row.id }, body: { reason } })}
      onClose={onClose}
    />
  );
}

/** Small deviations are adjusted, larger ones set. Clocks that deviate too much are left to the clock page, which asks for confirmation. */
function SyncClocks({ rows, onClose }: { rows: DcuRow[]; onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const [taskId, setTaskId] = useState<string>();
  const order = useApiMutation(clock.order, { success: (answer) => setTaskId(answer.taskId) });
  if (taskId !== undefined) return <DeviceRun taskId={taskId} title={t('syncClock')} onClose={onClose} />;
  return (
    <DangerDialog
      icon={<Clock size={20} aria-hidden="true" />}
      title={t('clockTitle', { count: rows.length })}
      effect={t('clockEffect')}
      action={t('syncClock')}
      about={someOf(rows.map((row) => row.sn)).join(', ')}
      reason={{ label: t('reason'), max: REASON_MAX, missing: say(RULES.reason) }}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={(reason) => order.mutate({ body: { operation: 'sync', devices: rows.map(({ id }) => ({ kind: 'dcu', id })), reason } })}
      onClose={onClose}
    />
  );
}

/** Loads the details of a DCU for forms that need more than its row. */
function WithDetail({ id, ...drawer }: { id: string; title: string; onClose: () => void; children: (detail: DcuDetail) => ReactNode }) {
  return <LoadedDrawer query={useApiQuery(dcus.get, { params: { id } })} {...drawer} />;
}

interface DialogsProps {
  dialog: DcuDialog | undefined;
  onClose: () => void;
  /** Called after a change: `gone` were deleted, `created` is to be shown. */
  onChanged: (change: { gone?: string[]; created?: string }) => void;
}

/** The dialogs above the list. */
export function Dialogs({ dialog, onClose, onChanged }: DialogsProps) {
  const t = useMessages(texts);
  const keysTitle = useMessages(keyTexts);
  const { message } = App.useApp();
  if (dialog === undefined) return null;
  const done = () => onChanged({});
  switch (dialog.kind) {
    case 'add':
      return (
        <DcuForm
          dcu={undefined}
          caller={dialog.caller}
          onDone={(created) => {
            void message.success(t('registered'));
            onChanged({ created });
          }}
          onClose={onClose}
        />
      );
    case 'edit':
      return (
        <WithDetail id={dialog.dcu.id} title={t('editDcu', { sn: dialog.dcu.sn })} onClose={onClose}>
          {(detail) => (
            <DcuForm
              dcu={detail}
              onDone={() => {
                void message.success(t('saved'));
                done();
              }}
              onClose={onClose}
            />
          )}
        </WithDetail>
      );
    case 'keys':
      return (
        <WithDetail id={dialog.dcu.id} title={keysTitle('keysOf', { sn: dialog.dcu.sn })} onClose={onClose}>
          {(detail) => (
            <KeysDrawer
              route={dcus.setKeys}
              device={detail}
              onDone={() => {
                void message.success(t('saved'));
                done();
              }}
              onClose={onClose}
            />
          )}
        </WithDetail>
      );
    case 'delete':
      return <DeleteDcus rows={dialog.dcus} onDone={(gone) => onChanged({ gone })} onClose={onClose} />;
    case 'move':
      return <MoveDcus rows={dialog.dcus} onDone={done} onClose={onClose} />;
    case 'clock':
      return <SyncClocks rows={dialog.dcus} onClose={onClose} />;
    case 'restart':
      return <Restart row={dialog.dcu} onClose={onClose} />;
    case 'run':
      return <Run taskId={dialog.taskId} title={dialog.title} onClose={onClose} />;
  }
}
