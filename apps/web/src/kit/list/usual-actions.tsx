import { ERRORS } from '@hes/contract/core/errors.ts';
import type { Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { Pencil, Trash2 } from 'lucide-react';
import type { CallOptions } from '#core/api/client.ts';
import { defineAction, type Action } from './action.ts';
import type { FormProps, Part } from './list-parts.ts';
import { listTexts } from './messages.ts';

/** Opens the form of a record. */
export const editAction = <Row,>(right: Pick<Route, 'allow'>, Form: Part<FormProps<Row>>, done?: Text): Action<Row> => ({
  key: 'edit',
  label: listTexts.edit,
  icon: Pencil,
  right,
  act: { kind: 'form', Form, ...(done ? { done } : {}) },
});

/** Opens another page that shows the row. */
export const openAction = <Row,>(head: Pick<Action<Row>, 'key' | 'label' | 'icon' | 'right'>, to: (row: Row) => string): Action<Row> => ({
  ...head,
  act: { kind: 'link', to },
});

/** Deletes records, one or several. Entries that came with the installation are not deleted. */
export const removeAction = <const R extends Route & { method: 'DELETE' }>(route: R): Action<{ id: string; isBuiltin?: boolean }> =>
  defineAction<{ id: string; isBuiltin?: boolean }, R>({
    key: 'delete',
    label: listTexts.remove,
    icon: Trash2,
    isDanger: true,
    batch: {},
    route,
    order: ({ id }) => ({ params: { id } }) as CallOptions<R>, // as: a DELETE route of a record has its id in the path
    refusedBy: ({ isBuiltin = false }) => (isBuiltin ? ERRORS.BUILT_IN_ENTRY : undefined),
    confirm: { title: listTexts.removeTitle, effect: listTexts.removeEffect },
    done: listTexts.removed,
    removesRow: true,
  });
