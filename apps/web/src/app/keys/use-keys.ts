import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { isTyping, usePreferences } from '#core/theme/preferences.ts';
import { openDialog } from '#app/dialogs/dialog-store.ts';
import { useTabs } from '#app/tabs/tabs.ts';
import { useCloseTabs } from '#app/tabs/use-close-tabs.ts';

const TEXT_FIELDS = ':is(input[type="search"], input[type="text"])';

/** The text field that `/` focuses: the first one of the filters, or else of the page. Pages of other tabs are mounted but hidden. */
const searchField = (): HTMLInputElement | undefined =>
  [`main [role="search"] ${TEXT_FIELDS}`, `main ${TEXT_FIELDS}`]
    .flatMap((fields) => [...document.querySelectorAll<HTMLInputElement>(fields)])
    .find((field) => field.offsetParent !== null && !field.readOnly && !field.disabled);

/** Shortcuts on all pages. Single letters are ignored in text fields and when the user switched them off. */
export function useKeys(): void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const closeTab = useCloseTabs();
  useEffect(() => {
    const withAlt = (event: KeyboardEvent): (() => unknown) | undefined => {
      const { tabs } = useTabs.getState();
      const tab = /^Digit[1-9]$/.test(event.code) ? tabs[Number(event.code.slice(5)) - 1] : undefined;
      if (tab) return () => navigate(tab.path + tab.search);
      if (event.code === 'KeyR') return () => navigate(`/redirect${pathname}${search}`, { replace: true });
      if (event.code !== 'KeyW' || pathname === tabs[0]?.path) return undefined;
      return () => closeTab('current', { path: pathname });
    };
    const alone = (event: KeyboardEvent): (() => unknown) | undefined => {
      if (isTyping(event) || !usePreferences.getState().letterKeys) return undefined;
      if (event.key === '?') return () => openDialog('keys');
      return event.key === '/' && searchField() ? () => searchField()?.focus() : undefined;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey) return;
      const does = event.altKey ? withAlt(event) : alone(event);
      if (!does) return;
      event.preventDefault();
      does();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, pathname, search, closeTab]);
}
