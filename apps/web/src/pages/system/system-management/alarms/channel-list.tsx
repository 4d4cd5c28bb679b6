import { alarmChannel, type ChannelRow } from '@hes/contract/alarm/channel.ts';
import { fill } from '@hes/contract/core/text.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { ALARM_FAILURE_TEXT, CHANNEL_KIND_TEXT } from '@hes/contract/states/alarm.ts';
import { Pause, Play, Send, Trash2 } from 'lucide-react';
import { Num } from '#kit/basics/text.tsx';
import { defineAction, type Action } from '#kit/list/action.ts';
import { textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ChannelForm } from './channel-form.tsx';
import { ChannelTestDialog } from './channel-test-dialog.tsx';
import { texts } from './messages.ts';
import { CHANNEL } from './signs.ts';

const POLL_MS = 3000;

const test: Action<ChannelRow> = {
  key: 'test',
  label: texts.test,
  icon: Send,
  right: alarmChannel.test,
  act: { kind: 'dialog', Dialog: ChannelTestDialog },
};

const pause = defineAction<ChannelRow, typeof alarmChannel.pause>({
  key: 'pause',
  label: texts.pause,
  icon: Pause,
  when: ({ state }) => state !== 'paused',
  route: alarmChannel.pause,
  order: ({ id }) => ({ params: { id } }),
  done: texts.channelPaused,
});

const resume = defineAction<ChannelRow, typeof alarmChannel.resume>({
  key: 'resume',
  label: ({ state }) => (state === 'paused' ? texts.resume : texts.retry),
  icon: Play,
  when: ({ state }) => state !== 'running',
  route: alarmChannel.resume,
  order: ({ id }) => ({ params: { id } }),
  done: texts.channelResumed,
});

const remove = defineAction<ChannelRow, typeof alarmChannel.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: alarmChannel.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.removeChannelTitle, effect: texts.removeChannelEffect, about: ({ name, target }) => `${name} · ${target}` },
  done: texts.channelRemoved,
  removesRow: true,
});

const failureOf = ({ failure, failureDetail }: ChannelRow, { say }: ListTools) =>
  failure === null ? '' : say(fill(ALARM_FAILURE_TEXT[failure], { detail: failureDetail ?? '' }));

export const channelList = defineList({
  route: alarmChannel.list,
  path: PAGE_PATH.alarms,
  at: { tab: 'channels' },
  title: texts.channels,
  purpose: texts.channelsPurpose,
  rowName: (row) => row.name,
  reloads: '/manager/alarm',
  refetchMs: POLL_MS,
  filters: [textFilter('search', texts.name)],
  columns: [
    { key: 'name', title: texts.name, width: 180, value: (row) => row.name },
    {
      key: 'kind',
      title: texts.kind,
      width: 110,
      words: (row, { say }) => say(CHANNEL_KIND_TEXT[row.kind]),
      cell: (row, { say }) => say(CHANNEL_KIND_TEXT[row.kind]),
    },
    { key: 'state', title: texts.state, width: 150, value: (row) => row.state, cell: (row) => <StateOf sign={CHANNEL[row.state]} /> },
    { key: 'target', title: texts.target, width: 220, mono: true, value: (row) => row.target },
    {
      key: 'waiting',
      title: texts.waiting,
      width: 96,
      align: 'right',
      value: (row) => row.waiting,
      cell: (row) => <Num value={row.waiting} />,
    },
    { key: 'lastSuccessAt', title: texts.lastSuccess, width: 160, time: (row) => row.lastSuccessAt },
    {
      key: 'failure',
      title: texts.failure,
      width: 320,
      words: failureOf,
      cell: (row, tools) => <span title={failureOf(row, tools)}>{failureOf(row, tools) || '—'}</span>,
    },
    { key: 'lastFailureAt', title: texts.lastFailure, width: 160, low: true, time: (row) => row.lastFailureAt },
  ],
  actions: [test, resume, pause, editAction(alarmChannel.update, ChannelForm), remove],
  add: { label: texts.addChannel, right: alarmChannel.create, Form: ChannelForm, done: texts.channelAdded },
  empty: texts.noChannels,
  emptyHint: texts.noChannelsHint,
});
