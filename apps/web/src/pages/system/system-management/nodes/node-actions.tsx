import { node, type NodeRow } from '@hes/contract/manager/node.ts';
import { App, Button } from 'antd';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { texts } from './messages.ts';

interface NodeActionsProps {
  row: NodeRow;
  /** Another node takes work, so this one may hand its work over. */
  hasSuccessor: boolean;
  onOrdered: () => void;
}

/** Drain or resume a node. Renders nothing for users without the right, and for nodes that do not run. */
export function NodeActions({ row, hasSuccessor, onOrdered }: NodeActionsProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [isAsking, setAsking] = useState(false);
  const { name } = row;
  const done = (text: string) => {
    setAsking(false);
    void message.success(text);
    onOrdered();
  };
  const drain = useApiMutation(node.drain, { success: () => done(t('drainOrdered', { name })) });
  const resume = useApiMutation(node.resume, {
    success: () => done(t('resumeOrdered', { name })),
    failure: (error) => void message.error(error.message),
  });
  if (!may(node.drain) || row.state === 'stopped' || row.state === 'died') return null;
  if (row.state !== 'alive')
    return (
      <Button
        size="small"
        icon={<Play size={13} aria-hidden="true" />}
        loading={resume.isPending}
        onClick={() => resume.mutate({ params: { id: row.id } })}
      >
        {t('resume')}
      </Button>
    );
  return (
    <>
      <Button
        size="small"
        icon={<Pause size={13} aria-hidden="true" />}
        disabled={!hasSuccessor}
        title={hasSuccessor ? undefined : t('lastNode')}
        onClick={() => setAsking(true)}
      >
        {t('drain')}
      </Button>
      {isAsking ? (
        <DangerDialog
          title={t('drainTitle', { name })}
          effect={t('drainEffect')}
          about={t('drainAbout', { count: row.devices })}
          action={t('drain')}
          busy={drain.isPending}
          failure={drain.error?.message}
          onConfirm={() => drain.mutate({ params: { id: row.id } })}
          onClose={() => {
            drain.reset();
            setAsking(false);
          }}
        />
      ) : null}
    </>
  );
}
