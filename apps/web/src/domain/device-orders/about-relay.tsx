import { CONTROL_MODES } from '@hes/contract/action/relay-rules.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Num, type Property } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { RELAY } from '#domain/states/relay.ts';
import { relayOrderTexts } from './relay-order.messages.ts';

/** Properties of the result of an order to a relay: state, contact, power before and after; none for other results. */
export function useAboutRelay(): (result: NonNullable<TaskItemRow['result']>) => Property[] {
  const t = useMessages(relayOrderTexts);
  const say = useSay();
  return ({ relay }) => {
    if (relay === undefined) return [];
    const mode = CONTROL_MODES[relay.mode]?.text;
    return [
      { label: t('state'), value: <StateOf sign={RELAY[relay.state]} /> },
      { label: t('contact'), value: t(relay.output ? 'closed' : 'open') },
      { label: t('mode'), value: `${relay.mode}${mode ? ` · ${say(mode)}` : ''}` },
      { label: t('before'), value: <Num value={relay.powerBeforeW} unit="W" /> },
      { label: t('after'), value: <Num value={relay.powerAfterW} unit="W" /> },
      { label: t('command'), value: t(relay.wasSent ? 'wasSent' : 'notSent') },
    ];
  };
}
