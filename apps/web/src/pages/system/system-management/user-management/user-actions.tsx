import { ERRORS } from '@hes/contract/core/errors.ts';
import { user as users, type UserRow } from '@hes/contract/manager/user.ts';
import { Button, type MenuProps } from 'antd';
import { KeyRound, Lock, LockOpen, LogOut, Pencil, ShieldCheck, Smartphone, Trash2 } from 'lucide-react';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { RowActions } from '#shared/table/row-actions.tsx';
import { PaneActions } from '#widgets/side-pane/side-pane.tsx';
import { texts } from './texts.ts';

/** The dialog above the list. */
export type UserDialog =
  | { kind: 'add' }
  | { kind: 'lock-many' }
  | { kind: 'edit' | 'lock' | 'unlock' | 'reset' | 'reset-factor' | 'log-out' | 'delete' | 'seal'; user: UserRow };

interface UserAction {
  key: Exclude<UserDialog['kind'], 'add' | 'lock-many'>;
  label: string;
  icon: typeof Lock;
  danger?: boolean;
  disabled?: boolean;
}

/** The actions that the current user may perform on a user, in menu order. */
function useActions(user: UserRow, isSelf: boolean): UserAction[] {
  const t = useMessages(texts);
  const may = useMay();
  return [
    ...(!user.isSealed && may(users.seal) ? [{ key: 'seal', label: t('seal'), icon: ShieldCheck, disabled: isSelf } as const] : []),
    ...(may(users.update) ? [{ key: 'edit', label: t('edit'), icon: Pencil } as const] : []),
    ...(may(users.resetPassword) ? [{ key: 'reset', label: t('resetPassword'), icon: KeyRound, disabled: isSelf } as const] : []),
    ...(user.hasSecondFactor && may(users.resetSecondFactor)
      ? [{ key: 'reset-factor', label: t('resetFactor'), icon: Smartphone, disabled: isSelf } as const]
      : []),
    ...(may(users.lock)
      ? [
          user.lock
            ? ({ key: 'unlock', label: t('unlock'), icon: LockOpen } as const)
            : ({ key: 'lock', label: t('lock'), icon: Lock, disabled: isSelf } as const),
        ]
      : []),
    ...(may(users.logout) ? [{ key: 'log-out', label: t('logOut'), icon: LogOut } as const] : []),
    ...(may(users.remove) ? [{ key: 'delete', label: t('remove'), icon: Trash2, danger: true, disabled: isSelf } as const] : []),
  ];
}

interface UserActionsProps {
  user: UserRow;
  isSelf: boolean;
  onDialog: (dialog: UserDialog) => void;
}

export function UserActions({ user, isSelf, onDialog }: UserActionsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const items: NonNullable<MenuProps['items']> = useActions(user, isSelf).map(({ key, label, icon: Icon, danger, disabled }) => ({
    key,
    label,
    title: disabled ? say(ERRORS.SELF) : '',
    icon: <Icon size={14} aria-hidden="true" />,
    danger: danger ?? false,
    disabled: disabled ?? false,
    onClick: () => onDialog({ kind: key, user }),
  }));
  return <RowActions label={t('actions', { name: user.username })} items={items} />;
}

/** The same as buttons, for the details pane. */
export function UserButtons({ user, isSelf, onDialog }: UserActionsProps) {
  const say = useSay();
  const actions = useActions(user, isSelf);
  if (actions.length === 0) return null;
  return (
    <PaneActions>
      {actions.map(({ key, label, icon: Icon, danger, disabled }) => (
        <Button
          key={key}
          type={key === 'edit' ? 'primary' : 'default'}
          danger={danger ?? false}
          disabled={disabled ?? false}
          title={disabled ? say(ERRORS.SELF) : ''}
          icon={<Icon size={15} aria-hidden="true" />}
          onClick={() => onDialog({ kind: key, user })}
        >
          {label}
        </Button>
      ))}
    </PaneActions>
  );
}
