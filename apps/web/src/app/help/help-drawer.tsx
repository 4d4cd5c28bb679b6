import { useQuery } from '@tanstack/react-query';
import { Drawer, Segmented } from 'antd';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { LANGUAGES } from '@hes/contract/core/text.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { pageAt } from '#core/url/pages.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { closeDialog, useDialog, type HelpPart } from '#app/dialogs/dialog-store.ts';
import { KeyList } from '#app/keys/key-list.tsx';
import { Glossary } from './glossary.tsx';
import { loadHelp } from './help-files.ts';
import { HelpText } from './help-text.tsx';
import { messages } from './messages.ts';
import styles from './help.module.css';

const PARTS = ['page', 'glossary', 'keys'] as const satisfies readonly HelpPart[];

/** The help of the page that is open. Its text changes with the page, so that links in it can be followed. */
function PageHelp() {
  const t = useMessages(messages);
  const say = useSay();
  const { pathname } = useLocation();
  const { language } = LANGUAGES[usePreferences((state) => state.locale)];
  const help = useQuery({
    queryKey: ['help', pathname, language],
    queryFn: async () => (await loadHelp(pathname, language)) ?? null,
    staleTime: Infinity,
  });
  const title = pageAt(pathname)?.title;
  return (
    <PanelState query={help} lines={8}>
      {(markdown) => (
        <>
          {title ? <h2 className={styles['title']}>{say(title)}</h2> : null}
          {markdown === null ? <p className={styles['none']}>{t('noHelp')}</p> : <HelpText markdown={markdown} />}
        </>
      )}
    </PanelState>
  );
}

/** Help beside the page, opened by `?`: what the page is for and how to use it, the words of the trade, and the shortcuts. */
export function HelpDrawer() {
  const t = useMessages(messages);
  const open = useDialog((state) => state.open === 'help');
  const asked = useDialog((state) => state.part);
  const [chosen, setChosen] = useState<HelpPart>();
  const part = chosen ?? asked;
  if (!useStickyTrue(open)) return null;
  return (
    <Drawer
      open={open}
      size={520}
      mask={false}
      title={t('help')}
      destroyOnHidden
      afterOpenChange={(isOpen) => (isOpen ? undefined : setChosen(undefined))}
      onClose={closeDialog}
    >
      <Segmented<HelpPart>
        block
        value={part}
        onChange={setChosen}
        options={PARTS.map((value) => ({ value, label: t(value) }))}
        className={styles['parts'] ?? ''}
      />
      {part === 'page' ? <PageHelp /> : part === 'glossary' ? <Glossary /> : <KeyList />}
    </Drawer>
  );
}
