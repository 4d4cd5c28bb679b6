import { role as roles, type RoleRow } from '@hes/contract/manager/role.ts';
import { AREA_TEXT } from '@hes/contract/manager/area.ts';
import { ERRORS } from '@hes/contract/core/errors.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { roleAbout, roleName } from '@hes/contract/text/roles.ts';
import { KeySquare, Pencil, ShieldCheck, Trash2 } from 'lucide-react';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import type { Column } from '#shared/table/data-table.tsx';
import { RowActions } from '#shared/table/row-actions.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Num } from '#shared/ui/text.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { CHANGED_OUTSIDE } from '#widgets/state-of/tables.ts';
import { texts, type T } from './texts.ts';
import styles from './role.module.css';

/** The dialog above the list. */
export type RoleDialog = { kind: 'add' } | { kind: 'edit' | 'permissions' | 'delete' | 'seal'; role: RoleRow };

function RoleActions({ role, onDialog }: { role: RoleRow; onDialog: (dialog: RoleDialog) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  return (
    <RowActions
      label={t('actions', { name: role.code })}
      items={[
        {
          key: 'permissions',
          label: t('permissions'),
          icon: <KeySquare size={14} aria-hidden="true" />,
          onClick: () => onDialog({ kind: 'permissions', role }),
        },
        ...(!role.isSealed && may(roles.seal)
          ? [
              {
                key: 'seal',
                label: t('seal'),
                icon: <ShieldCheck size={14} aria-hidden="true" />,
                onClick: () => onDialog({ kind: 'seal', role }),
              },
            ]
          : []),
        ...(may(roles.update)
          ? [
              {
                key: 'edit',
                label: t('edit'),
                icon: <Pencil size={14} aria-hidden="true" />,
                onClick: () => onDialog({ kind: 'edit', role }),
              },
            ]
          : []),
        ...(may(roles.remove)
          ? [
              {
                key: 'delete',
                label: t('remove'),
                icon: <Trash2 size={14} aria-hidden="true" />,
                danger: true,
                disabled: role.isBuiltin,
                title: role.isBuiltin ? say(ERRORS.BUILT_IN) : '',
                onClick: () => onDialog({ kind: 'delete', role }),
              },
            ]
          : []),
      ]}
    />
  );
}

export function columnsOf(t: T, say: (text: Text) => string, onDialog: (dialog: RoleDialog) => void): Column<RoleRow>[] {
  return [
    { key: 'code', title: t('code'), width: 210, sort: 'code', mono: true, cell: (row) => row.code },
    { key: 'name', title: t('name'), width: 260, sort: 'name', cell: (row) => say(roleName(row)) },
    {
      key: 'description',
      title: t('description'),
      cell: (row) => <span title={say(roleAbout(row))}>{say(roleAbout(row)) || '—'}</span>,
    },
    {
      key: 'kind',
      title: t('kind'),
      width: 172,
      cell: (row) =>
        row.isSealed ? (
          <span className={row.isBuiltin ? styles['dim'] : undefined}>{t(row.isBuiltin ? 'builtIn' : 'custom')}</span>
        ) : (
          <StateOf sign={CHANGED_OUTSIDE} />
        ),
    },
    {
      key: 'area',
      title: t('networkArea'),
      width: 150,
      cell: ({ area }) => (
        <span data-area={area.kind}>{area.kind === 'nodes' ? t('areaNodes', { count: area.nodes }) : say(AREA_TEXT[area.kind])}</span>
      ),
    },
    { key: 'users', title: t('users'), width: 100, align: 'right', value: (row) => row.users, cell: (row) => <Num value={row.users} /> },
    {
      key: 'modules',
      title: t('pages'),
      width: 100,
      align: 'right',
      value: (row) => row.modules,
      cell: (row) => <Num value={row.modules} />,
    },
    { key: 'updatedAt', title: t('updated'), width: 190, sort: 'updatedAt', cell: (row) => dateTime(row.updatedAt) },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 52,
      cell: (row) => <RoleActions role={row} onDialog={onDialog} />,
    },
  ];
}
