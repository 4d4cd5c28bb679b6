import { useLocation, useNavigate } from 'react-router';
import { dropDrafts, hasDraft } from '#kit/form/drafts.ts';
import { useLeaving } from '#app/dialogs/dialog-store.ts';
import { closeTabs, tabsAfter, useTabs, type CloseKind, type Tab } from './tabs.ts';

/** Closes tabs and navigates to the remaining one; asks for confirmation when a closed tab has unsaved input. */
export function useCloseTabs(): (kind: CloseKind, tab: Pick<Tab, 'path'>) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (kind, { path }) => {
    const { tabs } = useTabs.getState();
    const stay = new Set(tabsAfter(tabs, kind, path).map((tab) => tab.path));
    const close = () => {
      dropDrafts((of) => !stay.has(of));
      const next = closeTabs(kind, path, pathname);
      if (next) void navigate(next.path + next.search);
    };
    if (hasDraft((of) => !stay.has(of))) useLeaving.setState({ leave: close });
    else close();
  };
}
