import { COMMUNICATION_MODE_TEXT, RECORDED_PHASE_TEXT, RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { clockSigns } from '#domain/states/event-tables.ts';
import { lossSigns, useLossBounds } from '#domain/states/loss.ts';
import { useThresholds } from '#domain/states/thresholds.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Properties } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';

/** A time with its age when the head-end answered. */
export function useWhen(now: string): (at: string | null) => string {
  const t = useMessages(texts);
  const locale = usePreferences((state) => state.locale);
  return (at) => (at === null ? t('never') : `${dateTime(at).slice(0, 16)} · ${t('ago', { age: ageOf(at, Date.parse(now), locale) })}`);
}

/** Name and number of the customer, which lead to the supply with all its meters. */
function Customer({ facts: { customerName, customerNo } }: { facts: MeterFacts }) {
  const text = [customerName, customerNo].filter(Boolean).join(' · ') || '—';
  return customerNo === null ? <>{text}</> : <Link to={to.status({ customer: customerNo })}>{text}</Link>;
}

export function MeterIdentity({ facts }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const say = useSay();
  const when = useWhen(facts.at);
  return (
    <Panel title={t('identity')}>
      <Properties
        items={[
          {
            label: t('customer'),
            value: facts.isMaster ? t('masterMeter') : <Customer facts={facts} />,
            wide: true,
          },
          { label: t('addressOf'), value: facts.address, wide: true },
          { label: t('transformer'), value: facts.transformer?.name, wide: true },
          { label: t('type'), value: facts.typeName, wide: true },
          { label: t('mode'), value: say(COMMUNICATION_MODE_TEXT[facts.communicationMode]) },
          { label: t('phaseOf'), value: say(RECORDED_PHASE_TEXT[facts.recordedPhase]) },
          { label: t('firmware'), value: facts.firmwareVersion },
          { label: t('installed'), value: facts.installedAt && dateTime(facts.installedAt).slice(0, 10) },
          { label: t('lastComm'), value: when(facts.lastCommAt), wide: true },
          { label: t('lastRead'), value: when(facts.lastReadAt), wide: true },
          {
            label: t('relay'),
            value: [say(RELAY_TEXT[facts.relayState]), facts.relayReadAt && dateTime(facts.relayReadAt).slice(0, 16)]
              .filter(Boolean)
              .join(' · '),
            wide: true,
          },
        ]}
      />
    </Panel>
  );
}

/** Clock of the meter and loss of its transformer, as far as the user may see them. */
export function ClockAndLoss({ facts: { at, clock, loss, transformer, anomalies } }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const when = useWhen(at);
  const limits = useThresholds();
  const signs = lossSigns(useLossBounds());
  const unseen = t('notShown');
  const lossText =
    loss === null || loss.lossPercent === null || loss.loss === null || loss.supply === null
      ? undefined
      : t('lossFigures', { percent: figure(loss.lossPercent, 1), loss: figure(loss.loss, 1), supply: figure(loss.supply, 1) });
  return (
    <Panel title={t('clockAndLoss')}>
      <Properties
        items={[
          { label: t('clock'), wide: true, value: clock === null ? unseen : <StateOf sign={clockSigns(limits)[clock.class]} /> },
          ...(clock?.readAt == null ? [] : [{ label: t('clockReadAt'), wide: true, value: when(clock.readAt) }]),
          ...(clock?.lastSyncAt == null ? [] : [{ label: t('clockSync'), wide: true, value: when(clock.lastSyncAt) }]),
          {
            label: t('lossOf', { name: transformer?.name ?? t('transformer') }),
            wide: true,
            value:
              loss === null ? (
                unseen
              ) : lossText === undefined ? (
                t('lossNone', { days: 7 })
              ) : (
                <StateOf sign={signs[loss.class]} extra={`· ${lossText}`} />
              ),
          },
          ...(anomalies ?? []).map(({ day, type, value }) => ({
            label: t('anomalyOf', { day }),
            wide: true,
            value: `${type} · ${figure(value, 1)} kWh`,
          })),
        ]}
      />
    </Panel>
  );
}
