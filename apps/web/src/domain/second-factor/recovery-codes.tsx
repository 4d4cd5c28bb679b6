import { Alert, Button } from 'antd';
import { Copy, Download } from 'lucide-react';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { saveFile } from '#core/files/download-csv.ts';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

const texts = { ...common, ...messages };

/** Shows the recovery codes once; they cannot be shown again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useMessages(texts);
  const username = useSession((state) => state.user?.username ?? '');
  const text = `${[t('fileHead', { name: username }), '', ...codes].join('\r\n')}\r\n`;
  return (
    <div className={styles['form']}>
      <Alert type="warning" showIcon title={t('codesShown')} />
      <ul className={`mono ${styles['codes']}`} aria-label={t('codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles['buttons']}>
        <Button
          icon={<Download size={15} aria-hidden="true" />}
          onClick={() => saveFile(`hes-recovery-codes-${username}.txt`, new Blob([text], { type: 'text/plain;charset=utf-8' }))}
        >
          {t('download')}
        </Button>
        <Button icon={<Copy size={15} aria-hidden="true" />} onClick={() => void navigator.clipboard?.writeText(codes.join('\n'))}>
          {t('copyAll')}
        </Button>
        <Button type="primary" autoFocus onClick={onClose}>
          {t('kept')}
        </Button>
      </div>
    </div>
  );
}
