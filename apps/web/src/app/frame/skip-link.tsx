import type { RefObject } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from '#app/messages.ts';
import styles from './layout.module.css';

/** The first tab stop: leads past header and tabs to the page. Visible while it has the focus. */
export function SkipLink({ main }: { main: RefObject<HTMLElement | null> }) {
  const t = useMessages(messages);
  return (
    <a
      className={styles['skip']}
      href="#main"
      onClick={(event) => {
        // The fragment would become part of the address.
        event.preventDefault();
        main.current?.focus();
      }}
    >
      {t('skipToMain')}
    </a>
  );
}
