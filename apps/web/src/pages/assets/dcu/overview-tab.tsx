import type { DcuDetail, OnlineHour } from '@hes/contract/asset/dcu.ts';
import { SECRETS_OF } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { to } from '@hes/contract/page/links.ts';
import type { CSSProperties } from 'react';
import { Link } from 'react-router';
import { Meter } from '#kit/chart/bars.tsx';
import { Model } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { percent } from '#core/time/number.ts';
import { Figures, Num, Properties } from '#kit/basics/text.tsx';
import { dateTime, serverNow } from '#core/time/format.ts';
import { texts } from './texts.ts';
import { hourBars, shareOnline } from './hours-online.ts';
import { useUplinkProperties } from './uplink.tsx';
import styles from './detail.module.css';

/** 72 bars, one per hour: online, offline and unknown from the bottom. */
function HourStrip({ hours }: { hours: OnlineHour[] }) {
  const t = useMessages(texts);
  const share = shareOnline(hours);
  const bars = hourBars(hours, serverNow());
  const unknownHours = Math.round(bars.reduce((sum, bar) => sum + bar.unknownMinutes, 0) / 60);
  const summary = share === undefined ? t('onlineUnknown') : t('onlineHours', { share });
  return (
    <section>
      <h3 className={styles['section']}>
        {t('last72')}
        <span>{[summary, ...(unknownHours > 0 ? [t('unknownHours', { count: unknownHours })] : [])].join(' · ')}</span>
      </h3>
      <div className={styles['strip']} role="img" aria-label={`${t('last72')}: ${summary}`}>
        {bars.map((bar) => (
          <span
            key={bar.startsAt}
            title={`${dateTime(bar.startsAt).slice(0, 16)} · ${t('hourTip', {
              online: bar.onlineMinutes,
              offline: bar.offlineMinutes,
              unknown: bar.unknownMinutes,
            })}`}
            // A bar of 72 is a few pixels wide: its bands are one background gradient instead of three elements.
            style={{ '--online': `${bar.onlineTo}%`, '--offline': `${bar.offlineTo}%` } as CSSProperties}
          />
        ))}
      </div>
      <p className={styles['stripAxis']}>
        <span>{t('ago72')}</span>
        <span>{t('ago48')}</span>
        <span>{t('ago24')}</span>
        <span>{t('now')}</span>
      </p>
      <p className={styles['stripKey']} aria-hidden="true">
        {(['online', 'offline', 'unknown'] as const).map((state) => (
          <span key={state} data-state={state}>
            {t(`strip_${state}`)}
          </span>
        ))}
      </p>
    </section>
  );
}

export function OverviewTab({ detail }: { detail: DcuDetail }) {
  const t = useMessages(texts);
  const { lpaGot, lpaExpected, dailyGot, dailyExpected } = detail.completeness;
  const rate = (got: number, expected: number) => ({
    value: percent(got, expected, 1) === undefined ? '—' : `${percent(got, expected, 1)} %`,
    note: t('ofExpected', { got, expected }),
  });
  const drift = detail.clockDeviationS;
  const uplinkProperties = useUplinkProperties();
  const say = useSay();
  return (
    <div className={styles['overview']}>
      <HourStrip hours={detail.onlineHours} />
      <Figures
        items={[
          {
            label: t('reachable'),
            value: (
              <>
                <Num value={detail.metersFresh} /> <small>/ {detail.meters}</small>
              </>
            ),
            note: <Meter value={detail.metersFresh} max={detail.meters} label={t('reachable')} />,
          },
          { label: t('lpaToday'), ...rate(lpaGot, lpaExpected) },
          { label: t('dailyToday'), ...rate(dailyGot, dailyExpected) },
          {
            label: t('clockDrift'),
            value: drift === null ? '—' : `${drift > 0 ? '+' : ''}${drift} s`,
            note: drift === null ? t('notMeasured') : undefined,
          },
        ]}
      />
      <h3 className={styles['section']}>{t('uplink')}</h3>
      {detail.uplink ? <Properties items={uplinkProperties(detail.uplink, detail.signal)} /> : <p>{t('uplinkUnread')}</p>}
      <p className={styles['help']}>{t('signalHelp')}</p>
      <h3 className={styles['section']}>{t('properties')}</h3>
      <Properties
        items={[
          {
            label: t('transformer'),
            value: detail.transformerId ? (
              <Link to={to.readings({ node: `transformer:${detail.transformerId}` })}>{detail.transformerName}</Link>
            ) : null,
          },
          { label: t('type'), value: <Model name={detail.dcuTypeName} /> },
          { label: t('communicateType'), value: t(detail.communicateType) },
          { label: t('connectionType'), value: t(detail.connectionType) },
          { label: t('authenticationType'), value: say(AUTHENTICATION_TEXT[detail.authenticationType]) },
          { label: t('dataChannel'), value: t(detail.dataChannel) },
          { label: t('protocol'), value: say(PROTOCOL_TEXT[detail.protocol]) },
          ...(detail.physicalAddress === null ? [] : [{ label: t('physicalAddress'), value: detail.physicalAddress }]),
          {
            label: t('keys'),
            value: SECRETS_OF[detail.authenticationType].length === 0 ? null : t(detail.hasKeys ? 'keysStored' : 'keysMissing'),
          },
          { label: t('systemTitle'), value: detail.systemTitle ? <span className="mono">{detail.systemTitle}</span> : null },
          { label: t('firmware'), value: detail.firmwareVersion },
          {
            label: t('address'),
            value: <span className="mono">{detail.remote ?? (detail.host ? `${detail.host}:${detail.port ?? ''}` : '—')}</span>,
          },
          { label: t('country'), value: detail.country },
          ...(detail.simIccid ? [{ label: t('simIccid'), value: <span className="mono">{detail.simIccid}</span> }] : []),
          ...(detail.apn ? [{ label: t('apn'), value: detail.apn }] : []),
          ...(detail.msisdn ? [{ label: t('msisdn'), value: detail.msisdn }] : []),
          ...(detail.note ? [{ label: t('note'), value: detail.note }] : []),
        ]}
      />
    </div>
  );
}
