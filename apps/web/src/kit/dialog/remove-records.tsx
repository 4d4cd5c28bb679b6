import type { Route } from '@hes/contract/core/route.ts';
import { App } from 'antd';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from './danger-dialog.tsx';
import { texts } from '#kit/basics/record.messages.ts';

interface RemoveRecordsProps {
  /** A DELETE route with `{id}` in its path. */
  route: Route;
  records: readonly { id: string; name: string }[];
  /** Side effects of the deletion. */
  effect?: string | undefined;
  onDone: (removed: string[]) => void;
  onClose: () => void;
}

/** Deletes records with one call each: a record in use does not prevent the deletion of the others. */
export function RemoveRecords({ route, records, effect, onDone, onClose }: RemoveRecordsProps) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const remove = async () => {
    setBusy(true);
    const answers = await Promise.all(records.map(async ({ id }) => ({ id, answer: await call(route, { params: { id } as never }) }))); // as: a route with an id
    setBusy(false);
    const removed = answers.filter(({ answer }) => answer.ok).map(({ id }) => id);
    const [reason] = answers.flatMap(({ answer }) => (answer.ok ? [] : [answer.error.message]));
    if (reason !== undefined && removed.length === 0) {
      setFailure(reason);
      return;
    }
    if (reason === undefined) void message.success(t('removed', { count: removed.length }));
    else void message.warning(t('partly', { done: removed.length, failed: records.length - removed.length, reason }), 0);
    onDone(removed);
  };
  return (
    <DangerDialog
      icon={<Trash2 size={20} aria-hidden="true" />}
      title={t('removeTitle')}
      effect={effect ?? t('removeEffect')}
      action={t('remove')}
      about={
        records.length === 1 ? (
          records[0]?.name
        ) : (
          <ul>
            {records.map((record) => (
              <li key={record.id}>{record.name}</li>
            ))}
          </ul>
        )
      }
      busy={isBusy}
      failure={failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  );
}
