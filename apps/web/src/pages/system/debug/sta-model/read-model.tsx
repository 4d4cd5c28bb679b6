import { staModel } from '@hes/contract/debug/sta-model.ts';
import { App, Button } from 'antd';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { useCountNames } from '#domain/topology/count-names.ts';
import { texts } from './messages.ts';

/** Reads modules and network from the DCU, and shows the run. */
export function ReadModel({ dcuId }: { dcuId: string }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [run, setRun] = useState<string>();
  const countNames = useCountNames();
  const read = useApiMutation(staModel.read, {
    success: ({ taskId }) => setRun(taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  if (!may(staModel.read)) return null;
  return (
    <>
      <Button
        type="primary"
        icon={<RotateCw size={15} aria-hidden="true" />}
        loading={read.isPending}
        onClick={() => read.mutate({ body: { dcuId } })}
      >
        {t('readModel')}
      </Button>
      {run === undefined ? null : <DeviceRun taskId={run} title={t('readModel')} nameOf={countNames} onClose={() => setRun(undefined)} />}
    </>
  );
}
