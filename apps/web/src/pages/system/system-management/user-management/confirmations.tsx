import { RULES } from '@hes/contract/core/rules.ts';
import { user as users, type UserRow } from '@hes/contract/manager/user.ts';
import { App } from 'antd';
import { Lock, LogOut, ShieldCheck, Smartphone, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '#shared/api/client.ts';
import { useApiMutation } from '#shared/api/hooks.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { texts } from './texts.ts';

const REASON_MAX = 128;

interface ConfirmationProps {
  user: UserRow;
  onDone: () => void;
  onClose: () => void;
}

const nameOf = (user: UserRow): string => `${user.username} · ${user.name}`;

export function LogOutUser({ user, onDone, onClose }: ConfirmationProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const order = useApiMutation(users.logout, {
    success: () => {
      void message.success(t('loggedOut'));
      onDone();
    },
  });
  return (
    <DangerDialog
      icon={<LogOut size={20} aria-hidden="true" />}
      title={t('logOutTitle', { name: user.username })}
      effect={t('logOutEffect')}
      action={t('logOut')}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={() => order.mutate({ params: { id: user.id } })}
      onClose={onClose}
    />
  );
}

/** Without the second factor the password alone gives access; hence a reason is required. */
export function ResetFactor({ user, onDone, onClose }: ConfirmationProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const order = useApiMutation(users.resetSecondFactor, {
    success: () => {
      void message.success(t('factorReset'));
      onDone();
    },
  });
  return (
    <DangerDialog
      icon={<Smartphone size={20} aria-hidden="true" />}
      title={t('resetFactorTitle', { name: user.username })}
      effect={t('resetFactorEffect', { name: user.name })}
      action={t('resetFactor')}
      reason={{ label: t('resetReason'), max: REASON_MAX, missing: say(RULES.reason) }}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={(reason) => order.mutate({ params: { id: user.id }, body: { reason } })}
      onClose={onClose}
    />
  );
}

/** Confirms that a change made outside the product was reviewed. */
export function SealUser({ user, onDone, onClose }: ConfirmationProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const order = useApiMutation(users.seal, {
    success: () => {
      void message.success(t('sealed'));
      onDone();
    },
  });
  return (
    <DangerDialog
      icon={<ShieldCheck size={20} aria-hidden="true" />}
      title={t('sealTitle', { name: user.username })}
      effect={t('sealEffect')}
      action={t('seal')}
      reason={{ label: t('resetReason'), max: REASON_MAX, missing: say(RULES.reason) }}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={(reason) => order.mutate({ params: { id: user.id }, body: { reason } })}
      onClose={onClose}
    />
  );
}

export function DeleteUser({ user, onDone, onClose }: ConfirmationProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const order = useApiMutation(users.remove, {
    success: () => {
      void message.success(t('removed'));
      onDone();
    },
  });
  return (
    <DangerDialog
      icon={<Trash2 size={20} aria-hidden="true" />}
      title={t('removeTitle')}
      effect={t('removeEffect')}
      action={t('removeUser')}
      about={nameOf(user)}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={() => order.mutate({ params: { id: user.id } })}
      onClose={onClose}
    />
  );
}

/** Locks users with one call each: a refusal does not prevent the others. */
export function LockUsers({ chosen, onDone, onClose }: { chosen: UserRow[]; onDone: () => void; onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const lock = async (lockReason: string) => {
    setBusy(true);
    const answers = await Promise.all(chosen.map(({ id }) => call(users.lock, { params: { id }, body: { lock: true, lockReason } })));
    setBusy(false);
    const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.message]));
    const [reason] = refused;
    const done = answers.length - refused.length;
    if (reason !== undefined && done === 0) {
      setFailure(reason);
      return;
    }
    if (reason === undefined) void message.success(t('locked', { count: done }));
    else void message.warning(t('partly', { done, failed: refused.length, reason }), 0);
    onDone();
  };
  const [only] = chosen;
  return (
    <DangerDialog
      icon={<Lock size={20} aria-hidden="true" />}
      title={chosen.length === 1 && only ? t('lockTitle', { name: only.username }) : t('lockManyTitle', { count: chosen.length })}
      effect={t('lockEffect')}
      action={chosen.length === 1 ? t('lockUser') : t('lockCount', { count: chosen.length })}
      about={
        chosen.length > 1 ? (
          <ul>
            {chosen.map((user) => (
              <li key={user.id}>{nameOf(user)}</li>
            ))}
          </ul>
        ) : undefined
      }
      reason={{ label: t('lockReason'), max: REASON_MAX, missing: say(RULES.lockReason) }}
      busy={isBusy}
      failure={failure}
      onConfirm={(reason) => void lock(reason)}
      onClose={onClose}
    />
  );
}
