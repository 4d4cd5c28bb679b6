import { ERRORS } from '@hes/contract/core/errors.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { role as roles, type RoleRow } from '@hes/contract/manager/role.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { KeySquare, ShieldCheck, Trash2 } from 'lucide-react';
import { defineAction, type Action } from '#kit/list/action.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { PermissionDrawer } from './permission-drawer.tsx';
import { RoleForm } from './role-form.tsx';
import { texts } from './texts.ts';

const permissions: Action<RoleRow> = {
  key: 'permissions',
  label: texts.permissions,
  icon: KeySquare,
  right: roles.permission,
  act: { kind: 'dialog', Dialog: PermissionDrawer },
};

const seal = defineAction<RoleRow, typeof roles.seal>({
  key: 'seal',
  label: texts.seal,
  icon: ShieldCheck,
  when: ({ isSealed }) => !isSealed,
  route: roles.seal,
  order: ({ id }, reason) => ({ params: { id }, body: { reason } }),
  confirm: {
    title: texts.sealTitle,
    effect: texts.sealEffect,
    about: ({ code }) => code,
    reason: { label: texts.sealReason, max: 128, missing: RULES.reason },
  },
  done: texts.sealed,
});

const remove = defineAction<RoleRow, typeof roles.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  refusedBy: ({ isBuiltin }) => (isBuiltin ? ERRORS.BUILT_IN : undefined),
  route: roles.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: {
    title: texts.removeTitle,
    effect: texts.removeEffect,
    action: texts.removeRole,
    about: (row, { say }) => `${row.code} · ${say(roleName(row))}`,
  },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const roleActions = [permissions, seal, editAction(roles.update, RoleForm), remove];
