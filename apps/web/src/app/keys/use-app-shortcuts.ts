import { useLocation, useNavigate } from 'react-router';
import { useShortcut } from '#core/keys/use-shortcut.ts';
import { closeDialog, openHelp, useDialog } from '#app/dialogs/dialog-store.ts';
import { useTabs } from '#app/tabs/tabs.ts';
import { useCloseTabs } from '#app/tabs/use-close-tabs.ts';

const TEXT_FIELDS = ':is(input[type="search"], input[type="text"])';

/** The text field that `/` focuses: the first one of the filters, or else of the page. Pages of other tabs are mounted but hidden. */
const searchField = (): HTMLInputElement | undefined =>
  [`main [role="search"] ${TEXT_FIELDS}`, `main ${TEXT_FIELDS}`]
    .flatMap((fields) => [...document.querySelectorAll<HTMLInputElement>(fields)])
    .find((field) => field.offsetParent !== null && !field.readOnly && !field.disabled);

/** The open page that Alt and the digit of this key name. */
const tabOf = ({ code }: KeyboardEvent) => useTabs.getState().tabs[Number(code.slice(-1)) - 1];

/** Shortcuts on all pages. */
export function useAppShortcuts(): void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const closeTab = useCloseTabs();
  useShortcut(
    'openTab',
    (event) => {
      const tab = tabOf(event);
      if (tab) void navigate(tab.path + tab.search);
    },
    (event) => tabOf(event) !== undefined,
  );
  useShortcut('reload', () => void navigate(`/redirect${pathname}${search}`, { replace: true }));
  useShortcut(
    'closeTab',
    () => void closeTab('current', { path: pathname }),
    () => pathname !== useTabs.getState().tabs[0]?.path,
  );
  useShortcut('help', () => (useDialog.getState().open === 'help' ? closeDialog() : openHelp('page')));
  useShortcut(
    'filter',
    () => searchField()?.focus(),
    () => searchField() !== undefined,
  );
}
