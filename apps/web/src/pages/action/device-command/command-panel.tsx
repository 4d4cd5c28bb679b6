import { nameText } from '@hes/contract/core/text.ts';
import { defaultParams, paramSchemas, type CommandParams } from '@hes/contract/action/command-params.ts';
import { deviceCommand } from '@hes/contract/action/device-command.ts';
import { MAX_DEVICES_PER_ORDER, type DeviceRef } from '@hes/contract/action/device-order.ts';
import type { NodeKey, TreeNode } from '@hes/contract/asset/tree.ts';
import type { Order } from '@hes/contract/orders/define-order.ts';
import { ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import { task } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Input, Select } from 'antd';
import { Send } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '#core/api/client.ts';
import { failureText } from '#core/api/errors.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { DeviceTargets } from '#domain/targets/device-targets.tsx';
import { devicesUnder } from '#domain/targets/resolve-targets.ts';
import { texts } from './messages.ts';
import { ParamField } from './param-field.tsx';
import styles from './device-command.module.css';

const REASON_MAX = 256;
const WAIT_HOURS = [0, 1, 8, 24, 72];

interface CommandPanelProps {
  kinds: readonly TaskKind[];
  kind: TaskKind;
  onKind: (kind: TaskKind) => void;
  checked: Map<NodeKey, TreeNode>;
  onCheck: (checked: Map<NodeKey, TreeNode>) => void;
  onStarted: (taskId: string) => void;
}

/** Devices, command, parameters and reason of an order; confirms and sends it. */
export function CommandPanel({ kinds, kind, onKind, checked, onCheck, onStarted }: CommandPanelProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { modal } = App.useApp();
  const order = useOrder(kind, onStarted);
  const { declared, params, reason, waitHours, problem, busy } = order;

  const confirm = async () => {
    const devices = await order.devicesOf([...checked.values()]);
    if (devices === undefined) return;
    if (!declared.changesDevice) return order.send(devices);
    modal.confirm({
      title: t('confirmTitle', { command: say(declared.words.name) }),
      content: <Confirmation {...{ kind, params, reason }} devices={devices.length} />,
      okText: t('send'),
      onOk: () => order.send(devices),
    });
  };

  return (
    <DeviceTargets className={styles['order']} checked={checked} onCheck={onCheck}>
      <section className={styles['section']}>
        <h3>{t('command')}</h3>
        <Select
          aria-label={t('command')}
          value={kind}
          options={kinds.map((value) => ({ value, label: say(ORDERS[value].words.name) }))}
          onChange={onKind}
        />
        <p className={styles['help']}>{declared.command && say(declared.command.help)}</p>
      </section>
      <ParamSection kind={kind} params={params} onChange={order.setParams} />
      <Conditions {...{ declared, reason, waitHours }} onReason={order.setReason} onWait={order.setWaitHours} />
      {problem ? <Alert type="error" showIcon title={problem} role="alert" className={styles['problem'] ?? ''} /> : null}
      <Button
        block
        type="primary"
        className={styles['start'] ?? ''}
        icon={<Send size={14} aria-hidden="true" />}
        loading={busy}
        disabled={checked.size === 0}
        onClick={() => void confirm()}
      >
        {declared.changesDevice ? t('send') : t('read')}
      </Button>
    </DeviceTargets>
  );
}

interface ConfirmationProps {
  kind: TaskKind;
  devices: number;
  params: CommandParams;
  reason: string;
}

/** Shows the order again before it is sent. */
function Confirmation({ kind, devices, params, reason }: ConfirmationProps) {
  const t = useMessages(texts);
  const say = useSay();
  const facts = [
    [t('confirmDevices'), figure(devices)],
    ...paramSchemas(kind).map(([name]) => [say(ORDERS[kind].command?.fields[name] ?? nameText(name)), String(params[name] ?? '—')]),
    [t('reason'), reason.trim()],
  ];
  return (
    <>
      <dl className={styles['confirmed']}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>{t('confirmText')}</p>
    </>
  );
}

/** State of the order in the form, and the functions that send it. */
function useOrder(kind: TaskKind, onStarted: (taskId: string) => void) {
  const t = useMessages(texts);
  const queries = useQueryClient();
  const declared: Order = ORDERS[kind];
  const [params, setParams] = useState<CommandParams>(() => defaultParams(kind));
  const [reason, setReason] = useState('');
  const [waitHours, setWaitHours] = useState(0);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  /** The devices under the chosen nodes that the command applies to; undefined: the panel shows the missing input. */
  const devicesOf = async (nodes: TreeNode[]): Promise<DeviceRef[] | undefined> => {
    setProblem(undefined);
    if (declared.changesDevice && reason.trim() === '') return void setProblem(t('reasonMissing'));
    const targets = new Set<DeviceRef['kind']>(
      declared.target === 'device' ? ['dcu', 'meter'] : [declared.target === 'dcu' ? 'dcu' : 'meter'],
    );
    try {
      const devices = await devicesUnder(nodes, targets, MAX_DEVICES_PER_ORDER);
      if (devices.length > MAX_DEVICES_PER_ORDER) return void setProblem(t('tooMany'));
      if (devices.length === 0) return void setProblem(t('noDevices'));
      return devices;
    } catch (error) {
      return void setProblem(failureText(error));
    }
  };

  const send = async (devices: DeviceRef[]): Promise<void> => {
    const route = deviceCommand[kind];
    if (route === undefined) return;
    setBusy(true);
    try {
      const body = { devices, params, waitHours, ...(reason.trim() === '' ? {} : { reason }) };
      const answer = await call(route, { body });
      if (!answer.ok) return setProblem(answer.error.message);
      void queries.invalidateQueries({ queryKey: [task.list.path] });
      onStarted(answer.data.taskId);
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };

  return { declared, params, setParams, reason, setReason, waitHours, setWaitHours, problem, busy, devicesOf, send };
}

function ParamSection({ kind, params, onChange }: { kind: TaskKind; params: CommandParams; onChange: (params: CommandParams) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const schemas = paramSchemas(kind);
  if (schemas.length === 0) return null;
  return (
    <section className={styles['section']}>
      <h3>{t('params')}</h3>
      {schemas.map(([name, schema]) => (
        <ParamField
          key={name}
          label={say(ORDERS[kind].command?.fields[name] ?? nameText(name))}
          schema={schema}
          value={params[name]}
          onChange={(value) => onChange({ ...params, [name]: value })}
        />
      ))}
    </section>
  );
}

interface ConditionsProps {
  declared: Order;
  reason: string;
  waitHours: number;
  onReason: (reason: string) => void;
  onWait: (hours: number) => void;
}

/** The wait for offline devices, and the reason for the command. */
function Conditions({ declared, reason, waitHours, onReason, onWait }: ConditionsProps) {
  const t = useMessages(texts);
  const id = useId();
  return (
    <section className={styles['section']}>
      {declared.whenOffline === 'chosen' ? (
        <div className={styles['field']}>
          <label htmlFor={`${id}-wait`}>{t('offline')}</label>
          <Select
            id={`${id}-wait`}
            value={waitHours}
            options={WAIT_HOURS.map((hours) => ({ value: hours, label: hours === 0 ? t('failNow') : t('waitHours', { hours }) }))}
            onChange={onWait}
          />
        </div>
      ) : null}
      {declared.changesDevice ? (
        <>
          <label htmlFor={`${id}-reason`}>{t('reason')}</label>
          <Input id={`${id}-reason`} maxLength={REASON_MAX} value={reason} onChange={(event) => onReason(event.target.value)} />
        </>
      ) : null}
    </section>
  );
}
