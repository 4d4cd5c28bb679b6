import { MAX_IMPORT_ROWS } from '@hes/contract/transfer/import.ts';
import { Button } from 'antd';
import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import styles from './import-drawer.module.css';

interface DropZoneProps {
  busy: string | undefined;
  onFile: (file: File) => void;
}

/** Drop target for a file, with a button for keyboard users. */
export function DropZone({ busy, onFile }: DropZoneProps) {
  const t = useMessages(messages);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <div
      className={styles['drop']}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={26} aria-hidden="true" />
      {busy === undefined ? (
        <p>
          {t('drop')}{' '}
          <Button type="link" size="small" autoFocus onClick={() => input.current?.click()}>
            {t('choose')}
          </Button>
        </p>
      ) : (
        <p role="status">{t('reading', { name: busy })}</p>
      )}
      <small>{t('dropHint', { max: MAX_IMPORT_ROWS })}</small>
      <small>{t('nothingYet')}</small>
      <input
        ref={input}
        type="file"
        accept=".csv,.xlsx,.json,.txt"
        aria-label={t('choose')}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = '';
        }}
      />
    </div>
  );
}
