import { Input } from 'antd';
import { useId } from 'react';
import styles from './second-factor.module.css';

interface LabelledInputProps {
  kind: 'password' | 'code' | 'name';
  label: string;
  value: string;
  autoFocus?: boolean;
  onChange: (value: string) => void;
}

const ATTRIBUTES = {
  password: { type: 'password', autoComplete: 'current-password', maxLength: 256 },
  code: { type: 'text', autoComplete: 'one-time-code', maxLength: 32, className: 'mono' },
  name: { type: 'text', autoComplete: 'off', maxLength: 64 },
} as const;

export function LabelledInput({ kind, label, value, autoFocus = false, onChange }: LabelledInputProps) {
  const id = useId();
  return (
    <div>
      <label className={styles['label']} htmlFor={id}>
        {label}
      </label>
      <Input {...ATTRIBUTES[kind]} id={id} autoFocus={autoFocus} value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}
