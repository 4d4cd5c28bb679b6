import { Input } from 'antd';
import { useId } from 'react';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { texts } from './messages.ts';
import styles from './relay.module.css';

/** Who sits here says so once more, before the word counts that somebody else waits for. */
export function OwnPassword({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useMessages(texts);
  const id = useId();
  return (
    <div>
      <label className={styles['label']} htmlFor={id}>
        {t('password')}
      </label>
      <Input id={id} type="password" autoComplete="current-password" value={value} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}
