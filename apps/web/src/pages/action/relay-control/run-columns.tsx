import type { Text } from '@hes/contract/core/text.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import type { T } from './messages.ts';
import { RELAY } from '#domain/states/relay.ts';

type Say = (text: Text) => string;

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
