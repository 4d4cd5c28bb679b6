import type { ReactNode } from 'react';
import styles from './notice-page.module.css';

/** A page of a drawing, a sentence and a way out: error pages and pages that are not built yet. */
export function NoticePage({
  drawing,
  title,
  hint,
  children,
}: {
  drawing: ReactNode;
  title: string;
  hint: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={styles['page']}>
      <div className={styles['drawing']} aria-hidden="true">
        {drawing}
      </div>
      <h1 className={styles['title']}>{title}</h1>
      <div className={styles['hint']}>{hint}</div>
      {children}
    </div>
  );
}
