import type { Text } from '@hes/contract/core/text.ts';
import { create } from 'zustand';
import { HOME, PAGES } from '#core/url/pages.ts';
import { routeNameOf } from '#app/modules/modules.ts';

export interface Tab {
  path: string;
  routeName: string;
  localeName: Text;
  /** The last query string of the page, restored when the user returns. */
  search: string;
}

export type CloseKind = 'current' | 'left' | 'right' | 'others' | 'all';

const homeTab = (): Tab => ({ path: HOME, routeName: 'dashboard', localeName: PAGES[HOME].title, search: '' });

export const useTabs = create<{ tabs: Tab[] }>()(() => ({ tabs: [homeTab()] }));

/** Opens a tab for a visited page, and stores the query string of the current one. */
export function visitTab(path: string, search: string, localeName: Text): void {
  const { tabs } = useTabs.getState();
  const open = tabs.find((tab) => tab.path === path);
  if (!open) useTabs.setState({ tabs: [...tabs, { path, routeName: routeNameOf(path), localeName, search }] });
  else if (open.search !== search) useTabs.setState({ tabs: tabs.map((tab) => (tab === open ? { ...tab, search } : tab)) });
}

/** The tabs that remain after a close. The dashboard is first and always remains. */
export function tabsAfter(tabs: Tab[], kind: CloseKind, path: string): Tab[] {
  const index = tabs.findIndex((tab) => tab.path === path);
  const keep: Record<CloseKind, (at: number) => boolean> = {
    current: (at) => at !== index,
    left: (at) => at >= index,
    right: (at) => at <= index,
    others: (at) => at === index,
    all: () => false,
  };
  return tabs.filter((_, at) => at === 0 || keep[kind](at));
}

/** Left needs a tab between the dashboard and this one, and so on (@spec seed §2). */
export function canClose(tabs: Tab[], kind: CloseKind, path: string): boolean {
  const index = tabs.findIndex((tab) => tab.path === path);
  if (kind === 'current') return index > 0;
  if (kind === 'left') return index > 1;
  if (kind === 'right') return index < tabs.length - 1;
  return kind === 'others' ? tabs.length > 2 : tabs.length > 1;
}

/** Closes tabs and returns the tab to open; undefined: the open page stays. */
export function closeTabs(kind: CloseKind, path: string, activePath: string): Tab | undefined {
  const { tabs } = useTabs.getState();
  const rest = tabsAfter(tabs, kind, path);
  useTabs.setState({ tabs: rest });
  if (rest.some((tab) => tab.path === activePath)) return undefined;
  const activeIndex = tabs.findIndex((tab) => tab.path === activePath);
  if (kind === 'all') return rest[0];
  return kind === 'current'
    ? rest[Math.min(Math.max(0, activeIndex - 1), rest.length - 1)]
    : (rest.find((tab) => tab.path === path) ?? rest[0]);
}

export const resetTabs = (): void => useTabs.setState({ tabs: [homeTab()] });
