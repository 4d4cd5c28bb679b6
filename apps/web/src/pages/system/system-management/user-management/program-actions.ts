import { RULES } from '@hes/contract/core/rules.ts';
import { program as programs, type ProgramRow } from '@hes/contract/manager/program.ts';
import { user as users } from '@hes/contract/manager/user.ts';
import { KeyRound, Lock, LockOpen, ShieldCheck, Trash2 } from 'lucide-react';
import { defineAction, type Action } from '#kit/list/action.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { ProgramForm } from './program-form.tsx';
import { programTexts as texts } from './program.messages.ts';
import { TokenForm } from './token-form.tsx';

const REASON = { label: texts.reason, max: 128, missing: RULES.reason };

const newToken: Action<ProgramRow> = {
  key: 'token',
  label: texts.newToken,
  icon: KeyRound,
  right: programs.createToken,
  when: ({ isSealed }) => isSealed,
  act: { kind: 'form', Form: TokenForm },
};

const seal = defineAction<ProgramRow, typeof users.seal>({
  key: 'seal',
  label: texts.seal,
  icon: ShieldCheck,
  when: ({ isSealed }) => !isSealed,
  route: users.seal,
  order: ({ id }, reason) => ({ params: { id }, body: { reason } }),
  confirm: { title: texts.sealTitle, effect: texts.sealEffect, reason: REASON },
  done: texts.sealed,
});

const lock = defineAction<ProgramRow, typeof users.lock>({
  key: 'lock',
  label: texts.lock,
  icon: Lock,
  when: (row) => !row.lock,
  route: users.lock,
  order: ({ id }, lockReason) => ({ params: { id }, body: { lock: true, lockReason } }),
  confirm: {
    title: texts.lockTitle,
    effect: texts.lockEffect,
    reason: { ...REASON, label: texts.lockReason, missing: RULES.lockReason },
  },
  done: texts.locked,
});

const unlock = defineAction<ProgramRow, typeof users.lock>({
  key: 'unlock',
  label: texts.unlock,
  icon: LockOpen,
  when: (row) => row.lock,
  route: users.lock,
  order: ({ id }) => ({ params: { id }, body: { lock: false } }),
  done: texts.unlocked,
});

const remove = defineAction<ProgramRow, typeof users.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: users.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.removeTitle, effect: texts.removeEffect, about: ({ username, name }) => `${username} · ${name}` },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const programActions = [seal, newToken, editAction(programs.update, ProgramForm), lock, unlock, remove];
