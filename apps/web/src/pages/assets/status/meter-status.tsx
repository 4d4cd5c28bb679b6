import { realTime } from '@hes/contract/action/real-time.ts';
import { causesOf, healthOf, type StatusAction } from '@hes/contract/status/cause.ts';
import { METER_CAUSES } from '@hes/contract/status/meter-causes.ts';
import { meterStatus, type MeterFacts } from '@hes/contract/status/meter-status.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { grouped } from '#core/time/number.ts';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { MeterIcon } from '#domain/node-tree/device-icons.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { FRESHNESS, INVENTORY } from '#domain/states/tables.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { CauseList } from './cause-list.tsx';
import { Attempts, Events, Gaps } from './meter-evidence.tsx';
import { ClockAndLoss, MeterIdentity } from './meter-identity.tsx';
import { stepsOfMeter } from './meter-links.ts';
import { texts } from './messages.ts';
import { RoutePanel } from './route-panel.tsx';
import { StatusHead } from './status-head.tsx';
import { Timeline } from './timeline.tsx';
import styles from './status.module.css';

const POLL_MS = 60_000;
/** Offered whatever the causes are. */
const ALWAYS: readonly StatusAction[] = ['readNow', 'readings', 'events', 'route', 'relay', 'clock'];

/** The buttons of actions that the user may take; reading now is ordered in place. */
function useButtons(facts: MeterFacts, onRun: (taskId: string) => void) {
  const t = useMessages(texts);
  const may = useMay();
  const order = useApiMutation(realTime.order, { success: ({ taskId }) => onRun(taskId) });
  const steps = stepsOfMeter(facts);
  const readNow = () => order.mutate({ body: { meterIds: [facts.id], store: true } });
  return (actions: readonly StatusAction[]) =>
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
}

function MeterSheet({ facts }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const [taskId, setTaskId] = useState<string>();
  const nameOf = useItemName();
  const buttons = useButtons(facts, setTaskId);
  const codes = causesOf(METER_CAUSES, facts);
  const health = healthOf(METER_CAUSES, codes);
  return (
    <>
      <StatusHead
        icon={<MeterIcon size={22} aria-hidden="true" />}
        sn={facts.sn}
        place={[facts.customerName, facts.address, facts.transformer?.name, facts.typeName]}
        health={health}
        states={
          <>
            <StateOf tag sign={INVENTORY[facts.inventoryState]} />
            <StateOf tag sign={FRESHNESS[facts.freshness]} />
          </>
        }
      >
        {buttons(ALWAYS)}
      </StatusHead>
      <CauseList table={METER_CAUSES} codes={codes} facts={facts} at={facts.at} buttons={buttons} />
      <div className={styles['columns']}>
        <div>
          <RoutePanel facts={facts} />
          <Attempts rows={facts.attempts} />
          <Gaps rows={facts.gaps} />
          <Events rows={facts.events} />
        </div>
        <div>
          <MeterIdentity facts={facts} />
          <ClockAndLoss facts={facts} />
          <Timeline rows={facts.timeline} />
        </div>
      </div>
      {taskId === undefined ? null : (
        <DeviceRun taskId={taskId} title={t('reading', { sn: grouped(facts.sn) })} nameOf={nameOf} onClose={() => setTaskId(undefined)} />
      )}
    </>
  );
}

/** The status of one meter, from one request. */
export function MeterStatus({ id }: { id: string }) {
  const facts = useApiQuery(meterStatus.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <PanelState query={facts} lines={12}>
      {(data) => <MeterSheet facts={data} />}
    </PanelState>
  );
}
