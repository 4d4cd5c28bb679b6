import { Alert, Button } from 'antd';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { formTexts } from './form.messages.ts';
import styles from './form.module.css';

interface OvertakenProps {
  /** The values that the other user saved. */
  theirs: ReactNode;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** Another user saved while an editor within a page had unsaved input: the user chooses which of the two stays. */
export function Overtaken({ theirs, onKeepMine, onTakeTheirs }: OvertakenProps) {
  const t = useMessages(formTexts);
  return (
    <Alert
      type="warning"
      showIcon
      className={styles['overtaken'] ?? ''}
      role="alert"
      title={t('conflict')}
      description={
        <>
          {t('theirs')}: {theirs}
        </>
      }
      action={
        <>
          <Button size="small" onClick={onKeepMine}>
            {t('keepMine')}
          </Button>
          <Button size="small" onClick={onTakeTheirs}>
            {t('takeTheirs')}
          </Button>
        </>
      }
    />
  );
}
