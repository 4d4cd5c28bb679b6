import type { DcuRow } from '@hes/contract/asset/dcu.ts';
import { SIGNAL_TEXT, type SignalStrength } from '@hes/contract/states/signal.ts';
import { BIT_ERRORS_PERCENT, NO_MODEM, PACKET_SERVICE_TEXT, REGISTRATION_TEXT, type UplinkReading } from '@hes/contract/states/uplink.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, dateTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { Num, type Property } from '#kit/basics/text.tsx';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { SIGNAL_TONE } from '#domain/topology/signs.ts';
import { texts } from './texts.ts';
import styles from './dcu.module.css';

const ORDINARY: ReadonlySet<SignalStrength> = new Set(['outstanding', 'excellent', 'good']);

/** Bars and dBm; a weak signal has the colour of its bars. Without space for the text it is a tooltip and read by screen readers. */
function Measured({ dbm, signal, title }: { dbm: number | null; signal: SignalStrength; title?: string }) {
  const say = useSay();
  return (
    <span
      className={styles['uplink']}
      style={ORDINARY.has(signal) ? undefined : { color: `var(--${SIGNAL_TONE[signal]}-fg)` }}
      title={title}
    >
      <SignalBars signal={signal} quiet={title !== undefined} />
      <Num value={dbm} unit="dBm" />
      {title === undefined ? null : <span className="visually-hidden">{say(SIGNAL_TEXT[signal])}</span>}
    </span>
  );
}

/** The uplink signal in a list; an unknown one shows the reason. */
export function UplinkCell({ row: { uplink, signal } }: { row: DcuRow }) {
  const t = useMessages(texts);
  const say = useSay();
  if (uplink === null) return <Unknown text="—" why={t('uplinkUnread')} />;
  if (signal === null) return <Unknown text={say(NO_MODEM)} why={t('noModemWhy')} />;
  const parts = [
    uplink.signalDbm === null ? t('signalUnknown') : say(SIGNAL_TEXT[signal]),
    uplink.packetService && say(PACKET_SERVICE_TEXT[uplink.packetService]),
    uplink.operator,
    t('readAt', { at: dateTime(uplink.readAt) }),
  ];
  return <Measured dbm={uplink.signalDbm} signal={signal} title={parts.filter(Boolean).join(' · ')} />;
}

const Unknown = ({ text, why }: { text: string; why: string }) => (
  <span className={styles['dim']} title={why}>
    {text}
  </span>
);

/** The values of a modem as a list of properties. */
export function useUplinkProperties(): (uplink: UplinkReading, signal?: SignalStrength | null) => Property[] {
  const t = useMessages(texts);
  const say = useSay();
  const now = useNow(10_000);
  const locale = usePreferences((state) => state.locale);
  return (uplink, signal) => {
    const { signalDbm, bitErrorStep, packetService, operator, registration, measuredAt } = uplink;
    if (!uplink.hasModem) return [{ label: t('uplinkSignal'), value: <Unknown text={say(NO_MODEM)} why={t('noModemWhy')} />, wide: true }];
    return [
      {
        label: t('uplinkSignal'),
        value: signal ? <Measured dbm={signalDbm} signal={signal} /> : <Num value={signalDbm} unit="dBm" />,
      },
      { label: t('signalAge'), value: t('ago', { age: ageOf(uplink.readAt, now, locale) }) },
      { label: t('mobileService'), value: packetService && say(PACKET_SERVICE_TEXT[packetService]) },
      { label: t('operator'), value: [operator, uplink.network].filter(Boolean).join(' · ') || null },
      { label: t('registration'), value: registration && say(REGISTRATION_TEXT[registration]) },
      { label: t('bitErrors'), value: bitErrorStep === null ? null : `${BIT_ERRORS_PERCENT[bitErrorStep]} %` },
      { label: t('cell'), value: <span className="mono">{uplink.cellId}</span> },
      { label: t('locationArea'), value: <span className="mono">{uplink.locationId}</span> },
      { label: t('measuredAt'), value: measuredAt && dateTime(measuredAt), wide: true },
    ];
  };
}
