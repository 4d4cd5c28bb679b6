import { ERRORS } from '@hes/contract/core/errors.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { user as users, type UserRow } from '@hes/contract/manager/user.ts';
import { KeyRound, Lock, LockOpen, LogOut, ShieldCheck, Smartphone, Trash2 } from 'lucide-react';
import { defineAction, type Action } from '#kit/list/action.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { ResetPassword } from './password-dialogs.tsx';
import { texts } from './texts.ts';
import { UserForm } from './user-form.tsx';

const REASON = { label: texts.resetReason, max: 128, missing: RULES.reason };

/** Users do not end their own access. */
const onSelf = (user: UserRow, { me }: ListTools) => (user.id === me?.id ? ERRORS.SELF : undefined);

const seal = defineAction<UserRow, typeof users.seal>({
  key: 'seal',
  label: texts.seal,
  icon: ShieldCheck,
  when: ({ isSealed }) => !isSealed,
  refusedBy: onSelf,
  route: users.seal,
  order: ({ id }, reason) => ({ params: { id }, body: { reason } }),
  confirm: { title: texts.sealTitle, effect: texts.sealEffect, reason: REASON },
  done: texts.sealed,
});

const resetPassword: Action<UserRow> = {
  key: 'reset',
  label: texts.resetPassword,
  icon: KeyRound,
  right: users.resetPassword,
  refusedBy: onSelf,
  act: { kind: 'form', Form: ResetPassword },
};

/** Without the second factor the password alone gives access; hence a reason is required. */
const resetFactor = defineAction<UserRow, typeof users.resetSecondFactor>({
  key: 'reset-factor',
  label: texts.resetFactor,
  icon: Smartphone,
  when: ({ hasSecondFactor }) => hasSecondFactor,
  refusedBy: onSelf,
  route: users.resetSecondFactor,
  order: ({ id }, reason) => ({ params: { id }, body: { reason } }),
  confirm: { title: texts.resetFactorTitle, effect: texts.resetFactorEffect, reason: REASON },
  done: texts.factorReset,
});

const lock = defineAction<UserRow, typeof users.lock>({
  key: 'lock',
  label: texts.lock,
  icon: Lock,
  when: (user) => !user.lock,
  refusedBy: onSelf,
  batch: {},
  route: users.lock,
  order: ({ id }, lockReason) => ({ params: { id }, body: { lock: true, lockReason } }),
  confirm: {
    title: texts.lockTitle,
    titleOfMany: texts.lockManyTitle,
    effect: texts.lockEffect,
    action: texts.lockUser,
    actionOfMany: texts.lockCount,
    reason: { ...REASON, label: texts.lockReason, missing: RULES.lockReason },
  },
  done: texts.locked,
});

const unlock = defineAction<UserRow, typeof users.lock>({
  key: 'unlock',
  label: texts.unlock,
  icon: LockOpen,
  when: (user) => user.lock,
  route: users.lock,
  order: ({ id }) => ({ params: { id }, body: { lock: false } }),
  done: texts.unlocked,
});

const logOut = defineAction<UserRow, typeof users.logout>({
  key: 'log-out',
  label: texts.logOut,
  icon: LogOut,
  route: users.logout,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.logOutTitle, effect: texts.logOutEffect },
  done: texts.loggedOut,
});

const remove = defineAction<UserRow, typeof users.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  refusedBy: onSelf,
  route: users.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: {
    title: texts.removeTitle,
    effect: texts.removeEffect,
    action: texts.removeUser,
    about: ({ username, name }) => `${username} · ${name}`,
  },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const userActions = [seal, editAction(users.update, UserForm), resetPassword, resetFactor, lock, unlock, logOut, remove];
