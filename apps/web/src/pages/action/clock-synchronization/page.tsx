import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useState } from 'react';
import { useUrl } from '#core/url/use-url.ts';
import { ClockRun } from './clock-run.tsx';
import { Clocks } from './clocks.tsx';
import { ClockDialog } from '#domain/device-orders/clock-dialog.tsx';
import { useThresholds } from '#domain/states/thresholds.ts';

/** The clocks, or the run of an order, from which the clocks that need consent are ordered again. */
export default function ClockPage() {
  const limits = useThresholds();
  const [{ task }, setUrl] = useUrl(PAGE_WORDS.clocks);
  const [unconfirmed, setUnconfirmed] = useState<DeviceRef[]>();
  const open = (id: string) => {
    setUnconfirmed(undefined);
    setUrl({ task: id });
  };
  if (task === undefined) return <Clocks onOpen={open} />;
  return (
    <>
      <ClockRun key={task} id={task} onOpen={open} onBack={() => setUrl({ task: undefined })} onConfirm={setUnconfirmed} />
      {unconfirmed ? (
        <ClockDialog
          operation="sync"
          devices={unconfirmed}
          jumping={unconfirmed.length}
          limitS={limits.clockSetS}
          onClose={() => setUnconfirmed(undefined)}
          onStarted={open}
        />
      ) : null}
    </>
  );
}
