import type { ModuleNode } from '@hes/contract/manager/module.ts';
import type { MenuProps } from 'antd';
import { ChevronDown } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useMenuFocus } from '#kit/plain/use-menu-focus.tsx';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { isPage } from '#core/url/pages.ts';
import { preloadPage } from '#core/url/preload-page.ts';
import { messages } from '#app/messages.ts';
import { keptModules, menuModules, nameOf, useModules } from '#app/modules/modules.ts';
import styles from './header.module.css';

type Items = NonNullable<MenuProps['items']>;
const HOVER_DELAY_S = 0.12;
const OPENING_KEYS = new Set(['Enter', ' ', 'ArrowDown']);

function itemsOf(nodes: ModuleNode[], say: ReturnType<typeof useSay>, planned: string): Items {
  return nodes.map((node) =>
    node.children.length > 0
      ? { type: 'group', key: node.path, label: say(nameOf(node)), children: itemsOf(node.children, say, planned) }
      : {
          key: node.path,
          onMouseEnter: () => preloadPage(node.path),
          label: (
            <span className={styles['item']}>
              {say(nameOf(node))}
              {isPage(node.path) ? null : <span className={styles['planned']}>{planned}</span>}
            </span>
          ),
        },
  );
}

interface GroupProps {
  label: string;
  items: Items;
  pathname: string;
  isActive: boolean;
}

/** A module with its pages. Opened by keyboard, its first page takes the focus; opened by pointer, the focus stays. */
function Group({ label, items, pathname, isActive }: GroupProps) {
  const navigate = useNavigate();
  const { enter, popupRender } = useMenuFocus();
  const [open, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!OPENING_KEYS.has(event.key)) return;
    event.preventDefault();
    setOpen(true);
    enter();
  };
  return (
    <WithPopup
      open={open}
      onOpenChange={setOpen}
      trigger={['hover', 'click']}
      mouseEnterDelay={HOVER_DELAY_S}
      popupRender={popupRender}
      menu={{ items, selectedKeys: [pathname], onClick: ({ key }) => void navigate(key) }}
    >
      <button
        type="button"
        className={[styles['group'], isActive && styles['active']].filter(Boolean).join(' ')}
        aria-haspopup="menu"
        aria-current={isActive ? 'true' : undefined}
        onKeyDown={onKeyDown}
      >
        {label}
        <ChevronDown size={14} aria-hidden="true" />
      </button>
    </WithPopup>
  );
}

/** Horizontal navigation from the user's module tree. */
export function MainMenu() {
  const t = useMessages(messages);
  const say = useSay();
  const { pathname } = useLocation();
  const modules = useModules();
  const groups = menuModules(keptModules(modules.data ?? []));
  return (
    <nav className={styles['menu']} aria-label={t('mainMenu')}>
      {groups.map((group) => (
        <Group
          key={group.path}
          label={say(nameOf(group))}
          items={itemsOf(group.children, say, t('planned'))}
          pathname={pathname}
          isActive={pathname.startsWith(`${group.path}/`)}
        />
      ))}
    </nav>
  );
}
