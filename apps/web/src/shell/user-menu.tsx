import { useQueryClient } from '@tanstack/react-query';
import { Dropdown } from 'antd';
import { ChevronDown, KeyRound, LogOut } from 'lucide-react';
import { useLocation, useNavigate } from 'react-router';
import { useSession } from '#shared/api/session.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { useEditPassword } from './edit-password.tsx';
import { logOut } from './log-out.ts';
import { messages } from './messages.ts';
import styles from './header.module.css';

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
  const t = useMessages(messages);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  const user = useSession((state) => state.user);
  if (!user || pathname.includes('login')) return null;
  const leave = async () => {
    await logOut(queries);
    await navigate('/login');
  };
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      menu={{
        items: [
          { key: 'who', type: 'group', label: user.username },
          { key: 'edit-password', icon: <KeyRound size={14} aria-hidden="true" />, label: t('editPassword') },
          { key: 'log-out', icon: <LogOut size={14} aria-hidden="true" />, label: t('logOut') },
        ],
        onClick: ({ key }) => (key === 'edit-password' ? useEditPassword.setState({ open: true }) : void leave()),
      }}
    >
      <button type="button" className={styles['icon']} aria-label={`${t('userMenu')}: ${user.name}`} aria-haspopup="menu">
        <span className={styles['avatar']}>{initials(user.name)}</span>
        <span className={styles['userName']}>{user.name}</span>
        <ChevronDown size={14} aria-hidden="true" />
      </button>
    </Dropdown>
  );
}
