import type { OwnKey } from '@hes/contract/auth/security-key.ts';
import { secondFactor } from '@hes/contract/auth/second-factor.ts';
import { user } from '@hes/contract/manager/user.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Modal } from 'antd';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Enrolment } from './enrolment.tsx';
import { messages } from './messages.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { KeyRemoval, NewKeyForm } from './key-forms.tsx';
import { SecurityKeys } from './security-keys.tsx';
import { Removal } from './removal.tsx';
import styles from './second-factor.module.css';

const texts = { ...common, ...messages };
const WIDTH = 520;

interface SecondFactorDialogProps {
  onClose: () => void;
  /** Set when the server refuses all other calls until enrolment: logging out is the only way to leave the dialog. */
  onLogOut?: (() => void) | undefined;
}

/** Sets up a second factor, or shows the active one and removes it. */
export function SecondFactorDialog({ onClose, onLogOut }: SecondFactorDialogProps) {
  const t = useMessages(texts);
  const queries = useQueryClient();
  const { message } = App.useApp();
  const own = useApiQuery(secondFactor.own);
  const [codes, setCodes] = useState<string[]>();
  /** The key to remove, or a new one. */
  const [key, setKey] = useState<OwnKey | 'new'>();
  const isForced = onLogOut !== undefined;
  const mayLeave = !isForced && codes === undefined;
  const close = async () => {
    // The second factor changes the profile and the permissions: refetch them first.
    await queries.invalidateQueries({ queryKey: [user.me.path] });
    void queries.invalidateQueries();
    onClose();
  };
  const finish = (text: string, recoveryCodes: string[] = []) => {
    if (recoveryCodes.length > 0) return setCodes(recoveryCodes);
    void message.success(text);
    return void close();
  };
  const leave = onLogOut ? <Button onClick={onLogOut}>{t('logOut')}</Button> : <Button onClick={onClose}>{t('cancel')}</Button>;
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t(codes ? 'codes' : 'title')}
      mask={{ closable: false }}
      closable={mayLeave}
      keyboard={mayLeave}
      footer={null}
      onCancel={onClose}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onClose={() => void close()} />
      ) : key === 'new' ? (
        <NewKeyForm onBack={() => setKey(undefined)} onDone={(recoveryCodes) => finish(t('keyDone'), recoveryCodes)} />
      ) : key !== undefined ? (
        <KeyRemoval ownKey={key} onBack={() => setKey(undefined)} onDone={() => finish(t('keyRemoved'))} />
      ) : (
        <div className={styles['form']}>
          {isForced ? <Alert type="warning" showIcon title={t('required')} /> : null}
          <PanelState query={own} lines={4}>
            {(factor) =>
              factor.isOn ? (
                <Removal factor={factor} leave={leave} onDone={() => finish(t('removed'))} />
              ) : (
                <Enrolment leave={leave} onDone={(recoveryCodes) => finish(t('codeDone'), recoveryCodes)} />
              )
            }
          </PanelState>
          <SecurityKeys onAdd={() => setKey('new')} onRemove={setKey} />
        </div>
      )}
    </Modal>
  );
}
