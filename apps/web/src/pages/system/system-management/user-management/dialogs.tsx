import type { UserRow } from '@hes/contract/manager/user.ts';
import { App } from 'antd';
import { useState } from 'react';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { DeleteUser, LockUsers, LogOutUser, ResetFactor, SealUser } from './confirmations.tsx';
import { OneTimePassword, ResetPassword } from './password-dialogs.tsx';
import { texts } from './texts.ts';
import type { UserDialog } from './user-actions.tsx';
import { UserForm } from './user-form.tsx';

interface DialogsProps {
  dialog: UserDialog | undefined;
  /** The users of a batch lock. */
  chosen: UserRow[];
  onClose: () => void;
  /** Called after a change, with the deleted user, if any. */
  onChanged: (removed?: string) => void;
}

/** The dialogs above the list; after a password was set, shows that password once. */
export function Dialogs({ dialog, chosen, onClose, onChanged }: DialogsProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [secret, setSecret] = useState<{ username: string; password: string }>();
  const saved = ({ username, password }: { username: string; password?: string }) => {
    void message.success(t(dialog?.kind === 'add' ? 'added' : 'saved'));
    if (password !== undefined) setSecret({ username, password });
    onChanged();
  };
  const user = dialog && 'user' in dialog ? dialog.user : undefined;
  return (
    <>
      {dialog?.kind === 'add' || dialog?.kind === 'edit' ? (
        <UserForm key={user?.id ?? 'new'} user={user} onDone={saved} onClose={onClose} />
      ) : null}
      {dialog?.kind === 'reset' && user ? <ResetPassword user={user} onDone={saved} onClose={onClose} /> : null}
      {dialog?.kind === 'reset-factor' && user ? <ResetFactor user={user} onDone={onChanged} onClose={onClose} /> : null}
      {dialog?.kind === 'seal' && user ? <SealUser user={user} onDone={onChanged} onClose={onClose} /> : null}
      {dialog?.kind === 'lock' && user ? <LockUsers chosen={[user]} onDone={onChanged} onClose={onClose} /> : null}
      {dialog?.kind === 'lock-many' ? <LockUsers chosen={chosen} onDone={onChanged} onClose={onClose} /> : null}
      {dialog?.kind === 'log-out' && user ? <LogOutUser user={user} onDone={onChanged} onClose={onClose} /> : null}
      {dialog?.kind === 'delete' && user ? <DeleteUser user={user} onDone={() => onChanged(user.id)} onClose={onClose} /> : null}
      {secret ? <OneTimePassword {...secret} onClose={() => setSecret(undefined)} /> : null}
    </>
  );
}
