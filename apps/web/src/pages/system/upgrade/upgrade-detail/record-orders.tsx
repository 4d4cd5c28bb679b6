import { UPGRADE_ENDS, UPGRADE_FAILURES } from '@hes/contract/states/upgrade.ts';
import { upgradeRecord as routes, type UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { App, Button } from 'antd';
import { CirclePlay, RotateCcw, SkipForward, Square } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { useReload } from '#core/api/use-reload.ts';
import { texts } from './messages.ts';
import { RetryDialog } from './retry-dialog.tsx';

interface RecordOrdersProps {
  rows: UpgradeRecordRow[];
  small?: boolean;
  onDone?: () => void;
}

const REASON_MAX = 256;

/** The actions that fit the state of these devices; each button applies to the ones it fits. */
export function RecordOrders({ rows, small, onDone }: RecordOrdersProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [asking, setAsking] = useState<'retry' | 'skip' | 'stop'>();
  const success = ({ count }: { count: number }) => {
    setAsking(undefined);
    void message.success(t('ordered', { count }));
    reload();
    onDone?.();
  };
  const resume = useApiMutation(routes.retry, { success, failure: (error) => void message.error(error.message, 0) });
  const retry = useApiMutation(routes.retry, { success });
  const skip = useApiMutation(routes.skip, { success });
  const stop = useApiMutation(routes.stop, { success });
  if (!may(routes.retry)) return null;
  const idsOf = (fits: (row: UpgradeRecordRow) => boolean) => rows.filter(fits).map(({ id }) => id);
  const failed = idsOf(({ status }) => UPGRADE_FAILURES.includes(status));
  const fitting = {
    skip: idsOf(({ status }) => status === 'idle'),
    stop: idsOf(({ status }) => status !== 'idle' && !UPGRADE_ENDS.includes(status)),
  };
  const size = small ? 'small' : 'middle';
  const icon = { size: 14, 'aria-hidden': true } as const;
  return (
    <>
      {failed.length > 0 ? (
        <>
          <Button
            size={size}
            type="primary"
            icon={<CirclePlay {...icon} />}
            loading={resume.isPending}
            onClick={() => resume.mutate({ body: { ids: failed, from: 'resume' } })}
          >
            {t('retry')}
          </Button>
          <Button size={size} icon={<RotateCcw {...icon} />} onClick={() => setAsking('retry')}>
            {t('retryOptions')}
          </Button>
        </>
      ) : null}
      {fitting.skip.length > 0 ? (
        <Button size={size} icon={<SkipForward {...icon} />} onClick={() => setAsking('skip')}>
          {t('skip')}
        </Button>
      ) : null}
      {fitting.stop.length > 0 ? (
        <Button size={size} danger icon={<Square {...icon} />} onClick={() => setAsking('stop')}>
          {t('stop')}
        </Button>
      ) : null}
      {asking === 'retry' ? (
        <RetryDialog
          count={failed.length}
          busy={retry.isPending}
          failure={retry.error?.message}
          onRetry={(how) => retry.mutate({ body: { ids: failed, ...how } })}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {asking === 'skip' || asking === 'stop' ? (
        <DangerDialog
          title={t(asking === 'skip' ? 'skipTitle' : 'stopTitle', { count: fitting[asking].length })}
          effect={t(asking === 'skip' ? 'skipHint' : 'stopHint')}
          action={t(asking)}
          reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
          busy={skip.isPending || stop.isPending}
          failure={(asking === 'skip' ? skip : stop).error?.message}
          onConfirm={(reason) => (asking === 'skip' ? skip : stop).mutate({ body: { ids: fitting[asking], reason } })}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </>
  );
}
