import { clock } from '@hes/contract/action/clock.ts';
import { realTime } from '@hes/contract/action/real-time.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import { needsConfirmation } from '@hes/contract/states/clock.ts';
import type { StatusAction } from '@hes/contract/status/cause.ts';
import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { Button } from 'antd';
import { useState, type ReactNode } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { grouped } from '#core/time/number.ts';
import { useAboutClock } from '#domain/device-orders/about-clock.tsx';
import { useAboutRelay } from '#domain/device-orders/about-relay.tsx';
import { ClockDialog } from '#domain/device-orders/clock-dialog.tsx';
import { RelayDialog } from '#domain/device-orders/relay-dialog.tsx';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { useThresholds } from '#domain/states/thresholds.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { stepsOfMeter } from './meter-links.ts';
import { texts } from './messages.ts';

/** Values of a real-time reading that are no reading items. */
const FACT_WORDS = { FREQUENCY: 'frequency', RELAY_OUTPUT: 'relayOutput', RELAY_STATE: 'relayState' } as const;
const isFact = (key: string): key is keyof typeof FACT_WORDS => Object.hasOwn(FACT_WORDS, key);
/** Control states of the class Disconnect Control (IEC 62056-6-2, 4.5.8). */
const RELAY_WORDS = ['disconnected', 'connected', 'ready'] as const;

/** A dialog that is open, or the run of an order that was placed. */
type Shown = { dialog: 'connect' | 'disconnect' | 'sync' } | { run: string; title: string };

/** What the relay of a meter is asked to do next: its state is read first where it is unknown. Null: the meter has no relay that is switched here. */
function nextOfRelay({ relayState, isMaster, isBound }: Pick<MeterFacts, 'relayState' | 'isMaster' | 'isBound'>) {
  if (isMaster || !isBound) return null;
  if (relayState === 'unknown') return 'readRelay';
  return relayState === 'connected' ? 'disconnect' : 'connect';
}

interface MeterButtons {
  /** Buttons of the actions that the user may take. */
  buttons: (actions: readonly StatusAction[]) => ReactNode;
  /** The open dialog, or what the devices of a placed order return. */
  shown: ReactNode;
}

function Dialogs({ facts, shown, show }: { facts: MeterFacts; shown: Shown; show: (next: Shown | undefined) => void }) {
  const t = useMessages(texts);
  const limits = useThresholds();
  const say = useSay();
  const itemName = useItemName();
  const nameOf = (key: string) => (isFact(key) ? t(FACT_WORDS[key]) : itemName(key));
  const wordOf = (key: string, value: string | number) =>
    key === 'RELAY_STATE' ? say(RELAY_TEXT[RELAY_WORDS[Number(value)] ?? 'unknown']) : undefined;
  const [aboutRelay, aboutClock] = [useAboutRelay(), useAboutClock()];
  const close = () => show(undefined);
  if ('run' in shown)
    return (
      <DeviceRun
        taskId={shown.run}
        title={shown.title}
        nameOf={nameOf}
        wordOf={wordOf}
        about={(result) => [...aboutRelay(result), ...aboutClock(result)]}
        onClose={close}
      />
    );
  const { dialog } = shown;
  const started = (run: string) => show({ run, title: t(`${dialog}Of`, { sn: grouped(facts.sn) }) });
  if (dialog !== 'sync') return <RelayDialog operation={dialog} meterIds={[facts.id]} onClose={close} onStarted={started} />;
  const isJumping = facts.clock !== null && facts.clock.class !== 'unknown' && needsConfirmation(facts.clock.class);
  return (
    <ClockDialog
      operation="sync"
      devices={[{ kind: 'meter', id: facts.id }]}
      jumping={isJumping ? 1 : 0}
      limitS={limits.clockSetS}
      onClose={close}
      onStarted={started}
    />
  );
}

/** Buttons for the next steps of a meter. Reading, switching and setting the clock are ordered here, by the dialogs of their pages. */
export function useMeterButtons(facts: MeterFacts): MeterButtons {
  const t = useMessages(texts);
  const may = useMay();
  const [shown, show] = useState<Shown>();
  const named = (action: 'reading' | 'readRelayOf') => t(action, { sn: grouped(facts.sn) });
  const read = useApiMutation(realTime.order, { success: ({ taskId }) => show({ run: taskId, title: named('reading') }) });
  const readRelay = useApiMutation(relay.read, { success: ({ taskId }) => show({ run: taskId, title: named('readRelayOf') }) });
  const steps = stepsOfMeter(facts);

  const inPlace: Partial<Record<StatusAction, () => ReactNode>> = {
    readNow: () => (
      <Button
        key="readNow"
        type="primary"
        loading={read.isPending}
        disabled={!facts.isBound}
        onClick={() => read.mutate({ body: { meterIds: [facts.id], store: true } })}
      >
        {t('act_readNow')}
      </Button>
    ),
  };
  const next = nextOfRelay(facts);
  if (next === 'readRelay' && may(relay.read))
    inPlace.relay = () => (
      <Button key="relay" loading={readRelay.isPending} onClick={() => readRelay.mutate({ body: { meterIds: [facts.id] } })}>
        {t('readRelay')}
      </Button>
    );
  else if (next !== null && next !== 'readRelay' && may(relay.order))
    inPlace.relay = () => (
      <Button key="relay" danger={next === 'disconnect'} onClick={() => show({ dialog: next })}>
        {t(next)}
      </Button>
    );
  if (facts.isBound && may(clock.order))
    inPlace.clock = () => (
      <Button key="clock" onClick={() => show({ dialog: 'sync' })}>
        {t('sync')}
      </Button>
    );

  const buttons = (actions: readonly StatusAction[]) =>
    actions.map((action) => {
      const step = steps[action];
      if (step === undefined || !may(step.right)) return null;
      const order = inPlace[action];
      if (order !== undefined) return order();
      return step.to === undefined ? null : (
        <LinkButton key={action} to={step.to}>
          {t(`act_${action}`)}
        </LinkButton>
      );
    });
  return { buttons, shown: shown === undefined ? null : <Dialogs facts={facts} shown={shown} show={show} /> };
}
