import { ERRORS } from '@hes/contract/core/errors.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { ArrowDown, ArrowUp, FolderInput, Plus, Trash2 } from 'lucide-react';
import { defineAction, type Action } from '#kit/list/action.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { ModuleForm } from './module-form.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { stepOf } from './places.ts';
import { texts } from './texts.ts';

const addAction = (key: string, label: Text, parentOf: (row: ModuleRow) => string | null): Action<ModuleRow> => ({
  key,
  label,
  icon: Plus,
  right: routes.create,
  act: {
    kind: 'form',
    Form: ({ row, ...events }: FormProps<ModuleRow>) => <ModuleForm row={undefined} parentId={row ? parentOf(row) : null} {...events} />,
  },
});

const stepAction = (by: -1 | 1, head: Pick<Action<ModuleRow>, 'key' | 'label' | 'icon' | 'shortcut'>, none: Text): Action<ModuleRow> =>
  defineAction<ModuleRow, typeof routes.move>({
    ...head,
    route: routes.move,
    order: (row, _reason, tools) => ({
      params: { id: row.id },
      body: { parentId: row.parentId, beforeId: stepOf(row, by, tools) ?? null, version: row.version },
    }),
    refusedBy: (row, tools) => (stepOf(row, by, tools) === undefined ? none : undefined),
  });

export const edit = editAction(routes.update, ModuleForm);

/** One step among the siblings. */
export const steps = [
  stepAction(-1, { key: 'moveUp', label: texts.moveUp, icon: ArrowUp, shortcut: 'raiseRow' }, texts.isFirst),
  stepAction(1, { key: 'moveDown', label: texts.moveDown, icon: ArrowDown, shortcut: 'lowerRow' }, texts.isLast),
];

export const moduleActions: readonly Action<ModuleRow>[] = [
  addAction('beside', texts.addBeside, ({ parentId }) => parentId),
  { ...addAction('add', texts.addBelow, ({ id }) => id), when: ({ type }) => type === 'group' },
  edit,
  ...steps,
  { key: 'move', label: texts.moveTo, icon: FolderInput, right: routes.update, act: { kind: 'dialog', Dialog: MoveDialog } },
  defineAction<ModuleRow, typeof routes.remove>({
    key: 'delete',
    label: texts.remove,
    icon: Trash2,
    isDanger: true,
    route: routes.remove,
    order: ({ id }) => ({ params: { id } }),
    refusedBy: ({ isFixed }) => (isFixed ? ERRORS.ADMIN_KEEPS_SYSTEM : undefined),
    confirm: {
      title: texts.removeTitle,
      effect: texts.removeEffect,
      action: texts.removeModule,
      about: ({ nameEn, path }) => `${nameEn} · ${path}`,
    },
    done: texts.removed,
  }),
];
