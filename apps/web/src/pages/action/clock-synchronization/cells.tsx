import type { ClockRow } from '@hes/contract/action/clock.ts';
import { CLOCK_CLASS_TEXT } from '@hes/contract/states/clock.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { OpenOrderMark } from '#domain/states/open-order.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { deviationText } from '#domain/device-orders/clock-order.messages.ts';
import { texts } from './messages.ts';
import { useClockSigns } from './use-clock-signs.ts';

export function ClockClassOf({ row }: { row: ClockRow }) {
  const say = useSay();
  const signs = useClockSigns();
  return (
    <>
      <span title={say(CLOCK_CLASS_TEXT[row.class])}>
        <StateOf sign={signs[row.class]} />
      </span>{' '}
      <OpenOrderMark order={row.openOrder} />
    </>
  );
}

export function Deviation({ ms }: { ms: number | null }) {
  const t = useMessages(texts);
  return <b>{deviationText(t, ms)}</b>;
}
