import styles from './record-list.module.css';

/** Short words side by side, in outline: properties, not states. In a line of a table what does not fit is cut, `isWhole` takes another line. */
export function Tags({ words, isWhole = false }: { words: readonly string[]; isWhole?: boolean }) {
  if (words.length === 0) return '—';
  return (
    <span className={`${styles['tags']} ${isWhole ? styles['whole'] : ''}`} title={words.join(', ')}>
      {words.map((word) => (
        <span key={word} className={styles['tag']}>
          {word}
        </span>
      ))}
    </span>
  );
}
