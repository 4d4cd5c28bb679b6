import { eventRead, MAX_EVENTS_PER_LOG } from '@hes/contract/action/event-read.ts';
import { MAX_DEVICES_PER_ORDER, type DeviceRef } from '@hes/contract/action/device-order.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { EVENT_LOG_TEXT, type EventLog } from '@hes/contract/states/event.ts';
import { task } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Checkbox, DatePicker, InputNumber, Segmented } from 'antd';
import dayjs from 'dayjs';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { failureText } from '#core/api/errors.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { addDays, daysBetween, localDay, serverNow } from '#core/time/format.ts';
import { DeviceTargets } from '#domain/targets/device-targets.tsx';
import { devicesUnder } from '#domain/targets/resolve-targets.ts';
import { texts } from './messages.ts';
import styles from './event-reading.module.css';

const METER_LOGS: EventLog[] = ['standard', 'fraud', 'disconnector', 'quality', 'comms'];
const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;
const DEFAULT_DAYS = 7;
const DEFAULT_LAST = 20;

/** Devices, logs and start time of an event reading. */
export function OrderPanel({ prefilled, onStarted }: { prefilled: TreeNode[]; onStarted: (taskId: string) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const queries = useQueryClient();
  const [checked, setChecked] = useState(() => new Map(prefilled.map((node) => [node.key, node])));
  const [kind, setKind] = useState<DeviceRef['kind']>(prefilled.some((node) => node.kind === 'dcu') ? 'dcu' : 'meter');
  const [logs, setLogs] = useState<EventLog[]>(['standard', 'fraud', 'quality']);
  const [way, setWay] = useState<'range' | 'last'>('range');
  const today = localDay(serverNow());
  const [range, setRange] = useState({ from: addDays(today, 1 - DEFAULT_DAYS), to: today });
  const [last, setLast] = useState(DEFAULT_LAST);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const tooLong = way === 'range' && daysBetween(range.from, range.to) > MAX_DAYS;

  const start = async () => {
    if (checked.size === 0 || (kind === 'meter' && logs.length === 0)) return setProblem(t('selectData'));
    setBusy(true);
    setProblem(undefined);
    try {
      const devices = await devicesUnder([...checked.values()], new Set([kind]), MAX_DEVICES_PER_ORDER);
      if (devices.length > MAX_DEVICES_PER_ORDER) return setProblem(t('tooMany'));
      if (devices.length === 0) return setProblem(t('noSn'));
      const wanted = kind === 'dcu' ? (['dcu'] as const) : logs;
      const answer = await call(eventRead.order, { body: { devices, logs: [...wanted], ...(way === 'last' ? { last } : range) } });
      if (!answer.ok) return setProblem(answer.error.message);
      void queries.invalidateQueries({ queryKey: [task.list.path] });
      return onStarted(answer.data.taskId);
    } catch (error) {
      return setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <DeviceTargets className={styles['order']} checked={checked} onCheck={setChecked}>
      <section className={styles['section']}>
        <h3>{t('devices')}</h3>
        <Segmented
          block
          aria-label={t('devices')}
          value={kind}
          options={[
            { value: 'meter', label: t('ofMeters') },
            { value: 'dcu', label: t('ofDcus') },
          ]}
          onChange={(value: DeviceRef['kind']) => setKind(value)}
        />
      </section>
      {kind === 'meter' ? (
        <section className={styles['section']}>
          <h3>{t('logs')}</h3>
          <Checkbox.Group
            className={styles['logs'] ?? ''}
            value={logs}
            options={METER_LOGS.map((value) => ({ value, label: say(EVENT_LOG_TEXT[value]) }))}
            onChange={(values) => setLogs(values)}
          />
        </section>
      ) : null}
      <section className={styles['section']}>
        <h3>{t('what')}</h3>
        <Segmented
          block
          aria-label={t('what')}
          value={way}
          options={[
            { value: 'range', label: t('byRange') },
            { value: 'last', label: t('byLast') },
          ]}
          onChange={(value: 'range' | 'last') => setWay(value)}
        />
        {way === 'range' ? (
          <DatePicker.RangePicker
            allowClear={false}
            aria-label={t('byRange')}
            value={[dayjs(range.from), dayjs(range.to)]}
            {...(tooLong ? { status: 'error' as const } : {})}
            onChange={(dates) => {
              const [first, end] = dates ?? [];
              if (first && end) setRange({ from: first.format(FORMAT), to: end.format(FORMAT) });
            }}
          />
        ) : (
          <InputNumber
            aria-label={t('last')}
            min={1}
            max={MAX_EVENTS_PER_LOG}
            value={last}
            onChange={(value) => setLast(value ?? DEFAULT_LAST)}
          />
        )}
        {tooLong ? (
          <p className={styles['error']} role="alert">
            {t('rangeTooLong')}
          </p>
        ) : null}
      </section>
      {problem ? <Alert type="error" showIcon title={problem} role="alert" className={styles['problem'] ?? ''} /> : null}
      <Button
        block
        type="primary"
        className={styles['start'] ?? ''}
        icon={<Play size={14} aria-hidden="true" />}
        loading={busy}
        disabled={tooLong}
        onClick={() => void start()}
      >
        {t('start')}
      </Button>
    </DeviceTargets>
  );
}
