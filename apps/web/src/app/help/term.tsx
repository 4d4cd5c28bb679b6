import { Popover } from 'antd';
import type { ReactNode } from 'react';
import { useSay } from '#core/i18n/use-messages.ts';
import { GLOSSARY, type TermName } from '#domain/glossary/terms.ts';
import styles from './help.module.css';

/** A word of the glossary in a text: a click or Enter shows its meaning. */
export function Term({ name, children }: { name: TermName; children: ReactNode }) {
  const say = useSay();
  const { word, meaning } = GLOSSARY[name];
  return (
    <Popover trigger="click" title={say(word)} content={<p className={styles['meaning']}>{say(meaning)}</p>}>
      <button type="button" className={styles['term']}>
        {children}
      </button>
    </Popover>
  );
}
