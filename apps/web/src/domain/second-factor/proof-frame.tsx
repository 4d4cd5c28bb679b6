import { Button, Modal } from 'antd';
import { ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import styles from './second-factor.module.css';

const WIDTH = 420;
const ABOVE_OTHER_DIALOGS = 1200;

interface ProofFrameProps {
  onCancel: () => void;
  /** The button that gives the proof. */
  give: ReactNode;
  children: ReactNode;
}

/** The dialog of every kind of own proof, above the dialog that needs it. */
export function ProofFrame({ onCancel, give, children }: ProofFrameProps) {
  const t = useMessages({ ...common, ...messages });
  return (
    <Modal
      open
      centered
      width={WIDTH}
      zIndex={ABOVE_OTHER_DIALOGS}
      closable={false}
      onCancel={onCancel}
      title={
        <span className={styles['proofHead']}>
          <ShieldCheck size={18} aria-hidden="true" />
          {t('proofTitle')}
        </span>
      }
      footer={
        <>
          <Button onClick={onCancel}>{t('cancel')}</Button>
          {give}
        </>
      }
    >
      {children}
    </Modal>
  );
}
