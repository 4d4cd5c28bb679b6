import styles from './record-list.module.css';

/** Short words side by side, in outline: properties, not states. */
export function Tags({ words }: { words: readonly string[] }) {
  if (words.length === 0) return '—';
  return (
    <span className={styles['tags']} title={words.join(', ')}>
      {words.map((word) => (
        <span key={word} className={styles['tag']}>
          {word}
        </span>
      ))}
    </span>
  );
}
