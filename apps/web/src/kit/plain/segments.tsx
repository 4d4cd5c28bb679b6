import { useId } from 'react';
import styles from './segments.module.css';

interface SegmentsProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

/** A choice of one of a few values, as buttons side by side. */
export function Segments<V extends string>({ label, value, options, onChange }: SegmentsProps<V>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles['segments']}>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
