import { to } from '@hes/contract/page/links.ts';
import { useQueryClient } from '@tanstack/react-query';
import { ALargeSmall, Check, ChevronDown, CircleUserRound, Keyboard, KeyRound, LogOut } from 'lucide-react';
import { useLocation, useNavigate } from 'react-router';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences, type DisplaySize } from '#core/theme/preferences.ts';
import { useMenuFocus } from '#kit/plain/use-menu-focus.tsx';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { openDialog, openHelp } from '#app/dialogs/dialog-store.ts';
import { logOut } from '#app/account/log-out.ts';
import { messages } from '#app/messages.ts';
import styles from './header.module.css';

const texts = { ...common, ...messages };
const SIZES = ['standard', 'large'] as const satisfies readonly DisplaySize[];

const initials = (name: string): string =>
  /^[\x20-\x7e]+$/.test(name)
    ? name
        .split(/\s+/)
        .map((word) => word[0])
        .join('')
        .slice(0, 2)
        .toUpperCase()
    : name.slice(0, 1);

export function UserMenu() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  const user = useSession((state) => state.user);
  const { size, setSize } = usePreferences();
  const { enter, popupRender } = useMenuFocus();
  if (!user || pathname.includes('login')) return null;
  const leave = async () => {
    await logOut(queries);
    await navigate(to.login());
  };
  const chosen: Record<string, () => unknown> = {
    profile: () => openDialog('profile'),
    'edit-password': () => openDialog('password'),
    keys: () => openHelp('keys'),
    'log-out': leave,
    ...Object.fromEntries(SIZES.map((each) => [each, () => setSize(each)])),
  };
  const sizes = SIZES.map((each) => ({
    key: each,
    label: t(each),
    extra: each === size ? <Check size={14} role="img" aria-label={t('inUse')} /> : null,
  }));
  return (
    <WithPopup
      trigger={['click']}
      autoFocus
      popupRender={popupRender}
      onOpenChange={(open) => {
        if (open) enter();
      }}
      menu={{
        items: [
          { key: 'who', type: 'group', label: user.username },
          { key: 'profile', icon: <CircleUserRound size={14} aria-hidden="true" />, label: t('profile') },
          { key: 'edit-password', icon: <KeyRound size={14} aria-hidden="true" />, label: t('editPassword') },
          { key: 'size', icon: <ALargeSmall size={14} aria-hidden="true" />, label: t('displaySize'), children: sizes },
          { key: 'keys', icon: <Keyboard size={14} aria-hidden="true" />, label: t('keys') },
          { type: 'divider' },
          { key: 'log-out', icon: <LogOut size={14} aria-hidden="true" />, label: t('logOut') },
        ],
        onClick: ({ key }) => void chosen[key]?.(),
      }}
    >
      <button type="button" className={styles['icon']} aria-label={`${t('userMenu')}: ${user.name}`} aria-haspopup="menu">
        <span className={styles['avatar']}>{initials(user.name)}</span>
        <span className={styles['userName']}>{user.name}</span>
        <ChevronDown size={14} aria-hidden="true" />
      </button>
    </WithPopup>
  );
}
