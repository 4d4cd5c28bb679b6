import type { RelayRow } from '@hes/contract/action/relay.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { CONTROL_MODES, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Sn } from '#shared/ui/text.tsx';
import type { RunColumn } from '#widgets/live-run/run-columns.tsx';
import { OpenOrderMark } from '#widgets/state-of/open-order.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import type { T } from './messages.ts';
import { COMMAND, RELAY } from './signs.ts';
import styles from './relay.module.css';

type Say = (text: Text) => string;

export function relayColumns(t: T, say: Say, onOpen: (taskId: string) => void): Column<RelayRow>[] {
  return [
    { key: 'sn', title: t('meterSn'), width: 148, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
    {
      key: 'customer',
      title: t('customer'),
      width: 190,
      sort: 'customerName',
      cell: (row) => (
        <span className={styles['customer']}>
          <span>{row.customerName ?? row.customerNo ?? '—'}</span>
          {row.isProtected ? <b className={styles['protected']}>{t('protected')}</b> : null}
        </span>
      ),
    },
    { key: 'address', title: t('address'), cell: (row) => row.address ?? '—' },
    {
      key: 'state',
      title: t('state'),
      width: 220,
      cell: (row) => (
        <span className={styles['command']}>
          <StateOf sign={RELAY[row.relayState]} />
          <OpenOrderMark order={row.openOrder} onOpen={onOpen} />
        </span>
      ),
    },
    {
      key: 'contact',
      title: t('contact'),
      width: 84,
      low: true,
      cell: (row) => (row.output === null ? '—' : t(row.output ? 'closed' : 'open')),
    },
    {
      key: 'mode',
      title: t('mode'),
      width: 84,
      low: true,
      align: 'right',
      value: (row) => row.controlMode,
      cell: (row) => <span title={say(CONTROL_MODES[row.controlMode]?.text ?? { en: '', zh: '' })}>{row.controlMode}</span>,
    },
    {
      key: 'lastCommand',
      title: t('lastCommand'),
      width: 210,
      cell: (row) =>
        row.command === null ? (
          '—'
        ) : (
          <span className={styles['command']}>
            {say(RELAY_OPERATION_TEXT[row.command.operation])}
            <StateOf sign={COMMAND[row.command.state]} />
          </span>
        ),
    },
    {
      key: 'switchedAt',
      title: t('switchedAt'),
      width: 152,
      sort: 'switchedAt',
      cell: (row) => (row.switchedAt ? dateTime(row.switchedAt) : '—'),
    },
    { key: 'by', title: t('by'), width: 116, low: true, cell: (row) => row.switchedByName ?? '—' },
    { key: 'readAt', title: t('readAt'), width: 164, sort: 'readAt', cell: (row) => (row.readAt ? dateTime(row.readAt) : '—') },
    { key: 'transformer', title: t('transformer'), width: 160, low: true, cell: (row) => row.transformerName ?? '—' },
  ];
}

const relayOf = (row: TaskItemRow) => row.result?.relay;

export function runColumns(t: T, say: Say, isReading: boolean): RunColumn[] {
  const state: RunColumn = {
    key: 'relay',
    title: t('state'),
    width: 168,
    value: (row) => relayOf(row)?.state,
    words: (row) => {
      const relay = relayOf(row);
      return relay && say(RELAY[relay.state].text);
    },
    cell: (row) => {
      const relay = relayOf(row);
      return relay ? <StateOf sign={RELAY[relay.state]} /> : '—';
    },
  };
  const power = (key: 'powerBeforeW' | 'powerAfterW', title: string): RunColumn => ({
    key,
    title,
    width: 116,
    align: 'right',
    value: (row) => relayOf(row)?.[key],
    unit: 'W',
  });
  const command: RunColumn = {
    key: 'command',
    title: t('command'),
    width: 216,
    value: (row) => {
      const relay = relayOf(row);
      return relay && t(relay.wasSent ? 'wasSent' : 'notSent');
    },
  };
  if (isReading) return [state, power('powerAfterW', 'P+')];
  return [state, power('powerBeforeW', t('before')), power('powerAfterW', t('after')), command];
}
