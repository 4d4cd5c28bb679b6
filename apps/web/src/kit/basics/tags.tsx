import styles from './tags.module.css';

/** Short texts as outlined tags, for properties, not states. In a table row the overflow is cut off; `isWhole` wraps instead. */
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
