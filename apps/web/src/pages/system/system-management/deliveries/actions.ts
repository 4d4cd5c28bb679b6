import { sender, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { Pause, Play, RotateCcw, Send, Trash2 } from 'lucide-react';
import { defineAction, type Action } from '#kit/list/action.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { texts } from './messages.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { SenderForm } from './sender-form.tsx';
import { SenderTestDialog } from './sender-test-dialog.tsx';

const test: Action<SenderRow> = {
  key: 'test',
  label: texts.test,
  icon: Send,
  right: sender.test,
  act: { kind: 'dialog', Dialog: SenderTestDialog },
};

const pause = defineAction<SenderRow, typeof sender.pause>({
  key: 'pause',
  label: texts.pause,
  icon: Pause,
  when: ({ state }) => state !== 'paused',
  route: sender.pause,
  order: ({ id }) => ({ params: { id } }),
  done: texts.paused,
});

const resume = defineAction<SenderRow, typeof sender.resume>({
  key: 'resume',
  label: ({ state }) => (state === 'paused' ? texts.resume : texts.retry),
  icon: Play,
  when: ({ state }) => state !== 'running',
  route: sender.resume,
  order: ({ id }) => ({ params: { id } }),
  done: texts.resumed,
});

const replay: Action<SenderRow> = {
  key: 'replay',
  label: texts.replay,
  icon: RotateCcw,
  right: sender.replay,
  act: { kind: 'dialog', Dialog: ReplayDialog },
};

const remove = defineAction<SenderRow, typeof sender.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: sender.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.removeTitle, effect: texts.removeEffect, about: ({ name, target }) => `${name} · ${target}` },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const senderActions = [resume, test, pause, replay, editAction(sender.update, SenderForm), remove];
