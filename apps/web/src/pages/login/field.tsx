import type { ReactNode } from 'react';
import styles from './login.module.css';

interface FieldProps {
  id?: string;
  label?: string;
  error?: string | undefined;
  /** A warning. */
  note?: string | undefined;
  help?: string;
  children: ReactNode;
}

/** Label above, error below. The space of the error is reserved, so that the layout does not move. */
export function Field({ id, label, error, note, help, children }: FieldProps) {
  const Label = id ? 'label' : 'span';
  return (
    <div className={styles['field']}>
      {label ? (
        <Label className={styles['label']} {...(id ? { htmlFor: id } : {})}>
          {label}
        </Label>
      ) : null}
      {children}
      <p className={styles['error']} id={id ? `${id}-error` : undefined} role={error ? 'alert' : undefined}>
        {error}
        {error ? null : <span className={note ? styles['note'] : styles['help']}>{note ?? help}</span>}
      </p>
    </div>
  );
}
