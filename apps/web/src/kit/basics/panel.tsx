import type { ReactNode } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  title?: ReactNode;
  note?: ReactNode;
  extra?: ReactNode;
  label?: string;
  className?: string | undefined;
  /** No inner padding: tables and maps reach the edge. */
  flush?: boolean;
  children: ReactNode;
}

/** A card with a thin border and an optional head. */
export function Panel({ title, note, extra, label, className, flush, children }: PanelProps) {
  const name = label ?? (typeof title === 'string' ? title : undefined);
  return (
    <section className={[styles['panel'], className].filter(Boolean).join(' ')} aria-label={name}>
      {title === undefined ? null : (
        <header className={styles['head']}>
          <h2 className={styles['title']}>{title}</h2>
          {note ? <span className={styles['note']}>{note}</span> : null}
          {extra ? <div className={styles['extra']}>{extra}</div> : null}
        </header>
      )}
      <div className={flush ? styles['flush'] : styles['body']}>{children}</div>
    </section>
  );
}
