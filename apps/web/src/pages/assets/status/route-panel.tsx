import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { CLOSE_REASON_TEXT, closeReason } from '@hes/contract/states/device.ts';
import { STATION_LINK_TEXT } from '@hes/contract/states/topology.ts';
import type { ReactNode } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { shortTime } from './meter-evidence.tsx';
import { texts } from './messages.ts';
import styles from './status.module.css';

/** A stored reason of closing; reasons of later versions are shown as their code. */
function useCloseReason(): (code: string | null) => string | null {
  const say = useSay();
  return (code) => {
    const known = closeReason.safeParse(code);
    return known.success ? say(CLOSE_REASON_TEXT[known.data]) : code;
  };
}

const Stop = ({ name, children, isDown }: { name: ReactNode; children?: ReactNode; isDown?: boolean }) => (
  <li data-down={isDown || undefined}>
    <b>{name}</b>
    <span>{children}</span>
  </li>
);

/** The way from the head-end over line and stations to the meter, with its neighbours. */
export function RoutePanel({ facts }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const closeText = useCloseReason();
  const say = useSay();
  const { line, network, sn } = facts;
  const station = network?.station;
  const note =
    network === null
      ? undefined
      : network.takenAt === null
        ? t('networkNever')
        : t('networkAt', { at: dateTime(network.takenAt).slice(0, 16) });
  return (
    <Panel title={t('line')} note={note}>
      <ol className={styles['route']}>
        <Stop name={t('headEnd')} />
        {line === null ? null : (
          <Stop name={<Sn sn={line.sn} />} isDown={line.onlineStatus === 'offline' || line.onlineStatus === 'never'}>
            <StateOf sign={ONLINE[line.onlineStatus]} />
            {line.since === null ? null : <small>{shortTime(line.since)}</small>}
            {line.closeReason === null ? null : <small>{closeText(line.closeReason)}</small>}
          </Stop>
        )}
        {station?.route
          .toReversed()
          .filter((hop) => hop.level > 0)
          .map((hop) => (
            <Stop key={hop.sn} name={<Sn sn={hop.sn} />} isDown={!hop.isOnline}>
              <small>{t('hop', { level: hop.level })}</small>
              <SignalBars signal={hop.signal} />
            </Stop>
          ))}
        {facts.communicationMode === 'direct' ? null : (
          <Stop name={<Sn sn={sn} />} isDown={station?.isOnline === false}>
            {station ? (
              <>
                <small>
                  {t('hop', { level: station.level })} · {say(STATION_LINK_TEXT[station.link])}
                </small>
                <SignalBars signal={station.signal} />
                {station.signalValue === null || !station.isOnline ? null : (
                  <small>
                    {station.signalValue} {station.signalUnit}
                  </small>
                )}
              </>
            ) : (
              <small>{network === null || network.takenAt === null ? '—' : t('notListed')}</small>
            )}
          </Stop>
        )}
      </ol>
      <ul className={styles['facts']}>
        {station ? (
          <>
            <li>{t('siblings', { online: station.siblingsOnline, count: station.siblings })}</li>
            <li>{t('parentChanges', { count: station.parentChanges })}</li>
          </>
        ) : null}
        {line === null || facts.communicationMode === 'direct' ? null : (
          <li>{t('silentMeters', { silent: line.silent, meters: line.meters })}</li>
        )}
      </ul>
    </Panel>
  );
}
