import type { ReactNode } from 'react';
import styles from './head-line.module.css';

interface HeadLineProps {
  title: string;
  /** Object and state, behind the title. */
  children?: ReactNode;
  /** Actions at the right end. */
  actions?: ReactNode;
}

/** The first line of a page whose head is a panel. */
export function HeadLine({ title, children, actions }: HeadLineProps) {
  return (
    <header className={styles['line']}>
      <h1>{title}</h1>
      {children}
      {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
    </header>
  );
}
