import styles from './data-table.module.css';

/** Two small arrows; the active direction is dark. */
export function SortMark({ direction }: { direction: 'ascending' | 'descending' | 'none' }) {
  return (
    <svg width="8" height="12" viewBox="0 0 8 12" aria-hidden="true" className={styles['mark']} data-direction={direction}>
      <path d="M4 0 8 5H0Z" />
      <path d="M4 12 0 7h8Z" />
    </svg>
  );
}
