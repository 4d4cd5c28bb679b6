import { canPause, orderRight } from '@hes/contract/task/order.ts';
import { task as routes, type TaskRow } from '@hes/contract/task/task.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Popconfirm } from 'antd';
import { CirclePause, CirclePlay, RotateCcw, Square } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useShortcut } from '#core/keys/use-shortcut.ts';
import { hasEnded } from './run-counts.ts';
import { texts } from './texts.ts';

/** Only a run that waits or runs can be paused: not one that awaits approval, and not a computation. */
const pausable = (run: TaskRow): boolean => canPause(run) && (run.state === 'waiting' || run.state === 'running');

/**
 * Pause, resume, stop and retry, for users with the right; keys P and S pause and stop. `failed` counts the items that a retry sends again,
 * `unknown` those of them that it only reads back.
 */
export function RunActions({ run, failed, unknown }: { run: TaskRow; failed: number; unknown: number }) {
  const t = useMessages(texts);
  const may = useMay();
  const me = useMe();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const events = {
    success: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(routes.list.path) }),
    failure: (error: Error) => void message.error(error.message, 0),
  };
  const pause = useApiMutation(routes.pause, events);
  const resume = useApiMutation(routes.resume, events);
  const cancel = useApiMutation(routes.cancel, events);
  const retry = useApiMutation(routes.retry, events);
  const params = { id: run.id };

  // The server applies the same rule: the creator may pause and stop a run, but sending to devices needs the right to order it.
  const maySend = may(orderRight(run));
  const mayHold = maySend || (run.createdBy !== null && run.createdBy === me.data?.id);
  const turn = pausable(run) && mayHold ? pause : run.state === 'paused' && maySend ? resume : undefined;
  const isStoppable = mayHold && !hasEnded(run);
  useShortcut(
    'pauseRun',
    () => turn?.mutate({ params }),
    () => turn !== undefined,
  );
  useShortcut(
    'stopRun',
    () => setAsking(true),
    () => isStoppable,
  );

  return (
    <>
      {failed > 0 && hasEnded(run) && maySend ? (
        <Button icon={<RotateCcw size={14} aria-hidden="true" />} loading={retry.isPending} onClick={() => retry.mutate({ params })}>
          {t(unknown === failed ? 'checkUnknown' : 'retryFailed', { count: failed })}
        </Button>
      ) : null}
      {turn ? (
        <Button
          icon={turn === pause ? <CirclePause size={15} aria-hidden="true" /> : <CirclePlay size={15} aria-hidden="true" />}
          loading={turn.isPending}
          onClick={() => turn.mutate({ params })}
        >
          {t(turn === pause ? 'pause' : 'resume')}
        </Button>
      ) : null}
      {isStoppable ? (
        <Popconfirm
          open={isAsking}
          onOpenChange={setAsking}
          title={t('stopSure')}
          okText={t('stop')}
          cancelText={t('cancel')}
          onConfirm={() => cancel.mutate({ params })}
        >
          <Button danger icon={<Square size={13} aria-hidden="true" />} loading={cancel.isPending}>
            {t('stop')}
          </Button>
        </Popconfirm>
      ) : null}
    </>
  );
}
