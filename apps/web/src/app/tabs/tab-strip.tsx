import type { MenuProps } from 'antd';
import { ChevronsDown, Circle, LayoutDashboard, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { messages } from '#app/messages.ts';
import { useDrafts } from '#kit/form/drafts.ts';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { canClose, useTabs, type CloseKind, type Tab } from './tabs.ts';
import { useCloseTabs } from './use-close-tabs.ts';
import styles from './tab-strip.module.css';

const CLOSE_WORDS = { current: 'closeCurrent', left: 'closeLeft', right: 'closeRight', others: 'closeOthers', all: 'closeAll' } as const;
const KINDS = Object.keys(CLOSE_WORDS) as CloseKind[]; // keys of that very object
const MIDDLE_BUTTON = 1;

export function TabStrip() {
  const t = useMessages(messages);
  const say = useSay();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const tabs = useTabs((state) => state.tabs);

  const strip = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = strip.current;
    if (!element) return undefined;
    const measure = () => setOverflows(element.scrollWidth > element.clientWidth);
    measure();
    const active = tabs.findIndex((tab) => tab.path === pathname);
    element.children[active]?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [tabs, pathname]);

  const go = (tab: Tab) => void navigate(tab.path + tab.search);
  const close = useCloseTabs();
  const drafts = useDrafts();
  const menuOf = (tab: Tab): MenuProps => ({
    items: [
      { key: 'reload', label: t('reload'), disabled: tab.path !== pathname },
      { type: 'divider' },
      ...KINDS.map((kind) => ({ key: kind, label: t(CLOSE_WORDS[kind]), disabled: !canClose(tabs, kind, tab.path) })),
    ],
    onClick: ({ key }) =>
      key === 'reload'
        ? void navigate(`/redirect${pathname}${search}`, { replace: true })
        : close(KINDS.find((kind) => kind === key) ?? 'current', tab),
  });

  return (
    <nav className={styles['row']} aria-label={t('openTabs')}>
      <div ref={strip} className={styles['strip']} onWheel={(event) => (event.currentTarget.scrollLeft += event.deltaY)}>
        {tabs.map((tab, index) => {
          const active = tab.path === pathname;
          const name = say(tab.localeName);
          const draft = drafts.find(({ path }) => path === tab.path);
          return (
            <WithPopup key={tab.path} trigger={['contextMenu']} menu={menuOf(tab)}>
              <div
                className={[styles['tab'], active && styles['active']].filter(Boolean).join(' ')}
                onAuxClick={(event) => {
                  if (event.button === MIDDLE_BUTTON && index > 0) close('current', tab);
                }}
              >
                <button
                  type="button"
                  className={styles['name']}
                  aria-current={active ? 'page' : undefined}
                  title={name}
                  onClick={() => go(tab)}
                >
                  {index === 0 ? <LayoutDashboard size={14} aria-hidden="true" /> : null}
                  <span>{name}</span>
                </button>
                {index > 0 ? (
                  <button
                    type="button"
                    className={styles['close']}
                    data-draft={draft ? true : undefined}
                    aria-label={t('closeTab', { name })}
                    title={draft ? t('draftIn', { form: draft.title }) : undefined}
                    onClick={() => close('current', tab)}
                  >
                    {draft ? <Circle size={9} aria-hidden="true" /> : <X size={13} aria-hidden="true" />}
                  </button>
                ) : null}
              </div>
            </WithPopup>
          );
        })}
      </div>
      {overflows ? (
        <WithPopup
          trigger={['click']}
          autoFocus
          menu={{
            items: tabs.map((tab) => ({ key: tab.path, label: say(tab.localeName) })),
            selectedKeys: [pathname],
            onClick: ({ key }) => tabs.filter((tab) => tab.path === key).forEach(go),
          }}
        >
          <button type="button" className={styles['list']} aria-label={t('everyTab')} aria-haspopup="menu">
            <ChevronsDown size={15} aria-hidden="true" />
          </button>
        </WithPopup>
      ) : null}
    </nav>
  );
}
