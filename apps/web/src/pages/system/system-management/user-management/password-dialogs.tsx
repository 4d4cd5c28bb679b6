import { passwordReset, user as users, type UserRow } from '@hes/contract/manager/user.ts';
import { Alert, Button, Checkbox, Input, Modal } from 'antd';
import { WandSparkles } from 'lucide-react';
import { useId } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMe } from '#core/api/may.ts';
import { Field, FormContext } from '#kit/form/field.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import type { FormProps } from '#kit/list/list-parts.ts';
import { generatePassword } from './generate-password.ts';
import { texts } from './texts.ts';
import styles from './user.module.css';

const WIDTH = 460;

/** Sets a new password for another user, and shows it once. */
export function ResetPassword({ row: user, onDone, onClose }: FormProps<UserRow>) {
  const t = useMessages(texts);
  const id = useId();
  const min = useMe().data?.passwordMin;
  const form = useForm({ newPassword: generatePassword(min), mustChange: true });
  const reset = useApiMutation(users.resetPassword, { failure: form.refuse });
  const save = () => {
    const checked = form.check(passwordReset);
    if (checked && user) reset.mutate({ params: { id: user.id }, body: checked });
  };
  const username = user?.username ?? '';
  if (reset.isSuccess) return <OneTimePassword username={username} password={form.values.newPassword} onClose={onDone} />;
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('resetFor', { name: username })}
      okText={t('resetPassword')}
      cancelText={t('cancel')}
      confirmLoading={reset.isPending}
      mask={{ closable: false }}
      onOk={save}
      onCancel={onClose}
    >
      <FormContext value={{ id, errors: form.errors }}>
        <p className={styles['hint']}>{t('resetEffect')}</p>
        <Field name="newPassword" label={t('newPassword')} required>
          {(control) => (
            <span className={styles['password']}>
              <Input
                {...control}
                className="mono"
                autoComplete="new-password"
                value={form.values.newPassword}
                onChange={(event) => form.set({ newPassword: event.target.value })}
                onPressEnter={save}
              />
              <Button icon={<WandSparkles size={15} aria-hidden="true" />} onClick={() => form.set({ newPassword: generatePassword(min) })}>
                {t('generate')}
              </Button>
            </span>
          )}
        </Field>
        <Checkbox checked={form.values.mustChange} onChange={(event) => form.set({ mustChange: event.target.checked })}>
          {`${t('mustChange')} · ${t('mustChangeHelp')}`}
        </Checkbox>
        {form.general === undefined ? null : <Alert type="error" showIcon title={form.general} className={styles['alert'] ?? ''} />}
      </FormContext>
    </Modal>
  );
}

/** Shows a password once; it cannot be shown again. */
export function OneTimePassword({ username, password, onClose }: { username: string; password: string; onClose: () => void }) {
  const t = useMessages(texts);
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('oneTime', { name: username })}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <p className={styles['secret']}>
        <b className="mono">{password}</b>
        <CopyButton text={password} />
      </p>
      <p className={styles['hint']}>{t('oneTimeHint')}</p>
    </Modal>
  );
}
