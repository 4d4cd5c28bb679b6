import { Alert, Button, Input, Modal } from 'antd';
import { TriangleAlert } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { formTexts } from '#kit/form/form.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { judgeTyped } from './typed-words.ts';
import styles from './danger-dialog.module.css';

const texts = { ...common, ...formTexts };
const WIDTH = 540;

interface DangerDialogProps {
  title: string;
  /** The effect, and how to undo it. */
  effect: string;
  /** Verb and object, as on the button that opens the dialog. */
  action: string;
  /** Details of the object concerned. */
  about?: ReactNode;
  /** Set to require a reason. */
  reason?: { label: string; max: number; missing: string };
  /** Set to require typing these exact words first, for actions that cannot be undone. */
  typed?: { label: string; expected: string; wrong: string };
  icon?: ReactNode;
  busy: boolean;
  /** The refusal of the server. */
  failure: string | undefined;
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks for confirmation of a dangerous action. The focus starts on Cancel; a refusal of the server is shown in the dialog. */
export function DangerDialog({ title, effect, action, about, reason, typed, icon, busy, failure, onConfirm, onClose }: DangerDialogProps) {
  const t = useMessages(texts);
  const id = useId();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [words, setWords] = useState('');
  const { isRight, isShownWrong: isWrong } = judgeTyped(words, typed?.expected ?? '');
  const confirm = () => {
    if (reason && text.trim() === '') setMissing(true);
    else onConfirm(text.trim());
  };
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={
        <span className={styles['head']}>
          <span className={styles['badge']}>{icon ?? <TriangleAlert size={20} aria-hidden="true" />}</span>
          {title}
        </span>
      }
      closable={false}
      onCancel={onClose}
      footer={
        <div className={styles['footer']}>
          <span>{t('recorded')}</span>
          <Button autoFocus={!reason && !typed} onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button danger type="primary" disabled={typed !== undefined && !isRight} loading={busy} onClick={confirm}>
            {action}
          </Button>
        </div>
      }
    >
      <p className={styles['effect']}>{effect}</p>
      {about ? <div className={styles['about']}>{about}</div> : null}
      {reason ? (
        <div className={styles['reason']}>
          <label htmlFor={`${id}-reason`}>{reason.label}</label>
          <Input
            id={`${id}-reason`}
            autoFocus
            maxLength={reason.max}
            value={text}
            status={isMissing ? 'error' : ''}
            aria-invalid={isMissing}
            aria-describedby={`${id}-missing`}
            onChange={(event) => {
              setText(event.target.value);
              setMissing(false);
            }}
          />
          <p id={`${id}-missing`} className={styles['missing']}>
            {isMissing ? reason.missing : null}
          </p>
        </div>
      ) : null}
      {typed ? (
        <div className={styles['reason']}>
          <label htmlFor={`${id}-typed`}>{typed.label}</label>
          <Input
            id={`${id}-typed`}
            autoFocus={!reason}
            autoComplete="off"
            className="mono"
            value={words}
            status={isWrong ? 'error' : ''}
            aria-invalid={isWrong}
            aria-describedby={`${id}-wrong`}
            onChange={(event) => setWords(event.target.value)}
          />
          <p id={`${id}-wrong`} className={styles['missing']}>
            {isWrong ? typed.wrong : null}
          </p>
        </div>
      ) : null}
      {failure === undefined ? null : <Alert type="error" showIcon title={failure} role="alert" className={styles['failure'] ?? ''} />}
    </Modal>
  );
}
