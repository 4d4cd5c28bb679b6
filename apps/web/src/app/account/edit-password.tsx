import { PASSWORD_MIN } from '@hes/contract/core/rules.ts';
import { user as userRoutes } from '@hes/contract/manager/user.ts';
import { to } from '@hes/contract/page/links.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, Input, Modal } from 'antd';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMe } from '#core/api/may.ts';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { closeDialog, useDialog } from '#app/dialogs/dialog-store.ts';
import { logOut } from './log-out.ts';
import { messages } from '#app/messages.ts';
import { passwordProblems, stillWrong, type PasswordDraft, type PasswordProblems } from './password-rules.ts';
import styles from './edit-password.module.css';

const texts = { ...common, ...messages };
const NOTHING: PasswordDraft = { oldPassword: '', newPassword: '', passwordConfirm: '' };
const FIELDS = [
  { key: 'oldPassword', label: 'currentPassword', complete: 'current-password' },
  { key: 'newPassword', label: 'newPassword', complete: 'new-password' },
  { key: 'passwordConfirm', label: 'confirmPassword', complete: 'new-password' },
] as const;

/** Current password, new password and its repetition; all sessions of the user end afterwards. */
export function EditPassword() {
  const t = useMessages(texts);
  const say = useSay();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const open = useDialog((state) => state.open === 'password');
  // The server refuses all other calls until the password is changed.
  const me = useMe().data;
  const forced = me?.mustChangePassword === true;
  const min = me?.passwordMin ?? PASSWORD_MIN;
  const id = useSession((state) => state.user?.id ?? '');
  const wasOpen = useStickyTrue(open || forced);
  const [draft, setDraft] = useState(NOTHING);
  const [problems, setProblems] = useState<PasswordProblems>({});
  const reset = () => {
    setDraft(NOTHING);
    setProblems({});
    change.reset();
    closeDialog();
  };
  const change = useApiMutation(userRoutes.changePassword, {
    success: () => {
      reset();
      void logOut(queries).then(() => navigate(to.login()));
    },
  });
  const type = (key: keyof PasswordDraft, value: string) => {
    setDraft((old) => ({ ...old, [key]: value }));
    setProblems((known) => stillWrong(known, key));
  };
  const submit = () => {
    const found = passwordProblems(draft, min);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    change.mutate({ params: { id }, body: { oldPassword: draft.oldPassword, newPassword: draft.newPassword } });
  };
  if (!wasOpen) return null;
  return (
    <Modal
      open={open || forced}
      width={400}
      title={t('editPassword')}
      mask={{ closable: false }}
      closable={!forced}
      keyboard={!forced}
      okText={t('confirm')}
      cancelText={t('cancel')}
      confirmLoading={change.isPending}
      cancelButtonProps={{ disabled: forced }}
      onOk={submit}
      onCancel={reset}
    >
      <form className={styles['form']} onSubmit={(event) => event.preventDefault()}>
        {forced ? <Alert type="warning" showIcon title={t('changeFirst')} /> : null}
        {change.error ? <Alert type="error" showIcon role="alert" title={change.error.message} /> : null}
        {FIELDS.map((field) => (
          <div key={field.key}>
            <label htmlFor={field.key}>{t(field.label)}</label>
            <Input.Password
              id={field.key}
              autoComplete={field.complete}
              maxLength={256}
              value={draft[field.key]}
              aria-invalid={problems[field.key] !== undefined}
              aria-describedby={`${field.key}-error`}
              {...(problems[field.key] ? { status: 'error' as const } : {})}
              onPressEnter={submit}
              onChange={(event) => type(field.key, event.target.value)}
            />
            <p id={`${field.key}-error`} role={problems[field.key] ? 'alert' : undefined}>
              {problems[field.key] ? say(messages[problems[field.key] ?? 'enterPassword'], { min }) : null}
            </p>
          </div>
        ))}
      </form>
    </Modal>
  );
}
