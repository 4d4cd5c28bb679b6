import { realTime } from '@hes/contract/action/real-time.ts';
import type { StatusAction } from '@hes/contract/status/cause.ts';
import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { Button } from 'antd';
import { useState, type ReactNode } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { grouped } from '#core/time/number.ts';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { stepsOfMeter } from './meter-links.ts';
import { texts } from './messages.ts';

interface MeterButtons {
  /** Buttons of the actions that the user may take. */
  buttons: (actions: readonly StatusAction[]) => ReactNode;
  /** What an order that was placed here shows. */
  run: ReactNode;
}

/** Buttons for the next steps of a meter; reading now is ordered in place. */
export function useMeterButtons(facts: MeterFacts): MeterButtons {
  const t = useMessages(texts);
  const may = useMay();
  const nameOf = useItemName();
  const [taskId, setTaskId] = useState<string>();
  const order = useApiMutation(realTime.order, { success: (placed) => setTaskId(placed.taskId) });
  const steps = stepsOfMeter(facts);
  const readNow = () => order.mutate({ body: { meterIds: [facts.id], store: true } });
  const buttons = (actions: readonly StatusAction[]) =>
    actions.map((action) => {
      const step = steps[action];
      if (step === undefined || !may(step.right)) return null;
      const label = t(`act_${action}`);
      if (step.to !== undefined)
        return (
          <LinkButton key={action} to={step.to}>
            {label}
          </LinkButton>
        );
      return (
        <Button key={action} type="primary" loading={order.isPending} disabled={!facts.isBound} onClick={readNow}>
          {label}
        </Button>
      );
    });
  const title = t('reading', { sn: grouped(facts.sn) });
  const run =
    taskId === undefined ? null : <DeviceRun taskId={taskId} title={title} nameOf={nameOf} onClose={() => setTaskId(undefined)} />;
  return { buttons, run };
}
