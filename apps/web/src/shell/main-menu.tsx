import type { ModuleNode } from '@hes/contract/manager/module.ts';
import { Dropdown, type MenuProps } from 'antd';
import { ChevronDown } from 'lucide-react';
import { useLocation, useNavigate } from 'react-router';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { isBuilt } from '../page-list.ts';
import { messages } from './messages.ts';
import { keptModules, menuModules, nameOf, useModules } from './modules.ts';
import styles from './header.module.css';

type Items = NonNullable<MenuProps['items']>;
const HOVER_DELAY_S = 0.12;

function itemsOf(nodes: ModuleNode[], say: ReturnType<typeof useSay>, planned: string): Items {
  return nodes.map((node) =>
    node.children.length > 0
      ? { type: 'group', key: node.path, label: say(nameOf(node)), children: itemsOf(node.children, say, planned) }
      : {
          key: node.path,
          label: (
            <span className={styles['item']}>
              {say(nameOf(node))}
              {isBuilt(node.path) ? null : <span className={styles['planned']}>{planned}</span>}
            </span>
          ),
        },
  );
}

/** Horizontal navigation from the caller's module tree. */
export function MainMenu() {
  const t = useMessages(messages);
  const say = useSay();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const modules = useModules();
  const groups = menuModules(keptModules(modules.data ?? []));
  return (
    <nav className={styles['menu']} aria-label={t('mainMenu')}>
      {groups.map((group) => {
        const active = pathname.startsWith(`${group.path}/`);
        return (
          <Dropdown
            key={group.path}
            trigger={['hover', 'click']}
            mouseEnterDelay={HOVER_DELAY_S}
            menu={{ items: itemsOf(group.children, say, t('planned')), selectedKeys: [pathname], onClick: ({ key }) => void navigate(key) }}
          >
            <button
              type="button"
              className={[styles['group'], active && styles['active']].filter(Boolean).join(' ')}
              aria-haspopup="menu"
              aria-current={active ? 'true' : undefined}
            >
              {say(nameOf(group))}
              <ChevronDown size={14} aria-hidden="true" />
            </button>
          </Dropdown>
        );
      })}
    </nav>
  );
}
