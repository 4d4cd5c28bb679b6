import type { DcuDetail } from '@hes/contract/asset/dcu.ts';
import { Link } from 'react-router';
import { Meter } from '#shared/chart/bars.tsx';
import { Model } from '#shared/i18n/model-name.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { percent } from '#shared/time/number.ts';
import { Figures, Num, Properties } from '#shared/ui/text.tsx';
import { serverNow } from '#shared/time/format.ts';
import { schemeName } from './columns.tsx';
import { texts } from './texts.ts';
import { hoursOnline, shareOnline } from './hours-online.ts';
import { useUplinkProperties } from './uplink.tsx';
import styles from './detail.module.css';

/** 72 bars, one an hour: full, gapped, off, or before the DCU was known. */
function HourStrip({ minutes, createdAt }: { minutes: (number | null)[]; createdAt: string }) {
  const t = useMessages(texts);
  const hours = hoursOnline(minutes, Date.parse(createdAt), serverNow());
  const share = shareOnline(hours);
  return (
    <section>
      <h3 className={styles['section']}>
        {t('last72')}
        {share === undefined ? null : <span>{t('onlineHours', { share })}</span>}
      </h3>
      <div className={styles['strip']} role="img" aria-label={`${t('last72')}: ${share ?? '—'} %`}>
        {hours.map((hour) => (
          <span
            key={hour.startsAt}
            data-state={hour.state}
            title={hour.minutes === null ? t('beforeArchive') : t('hourTip', { minutes: hour.minutes })}
          />
        ))}
      </div>
      <p className={styles['stripAxis']}>
        <span>{t('ago72')}</span>
        <span>{t('ago48')}</span>
        <span>{t('ago24')}</span>
        <span>{t('now')}</span>
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
  return (
    <div className={styles['overview']}>
      <HourStrip minutes={detail.onlineMinutes} createdAt={detail.createdAt} />
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
              <Link to={`/meter/auto-meter-reading?node=transformer:${detail.transformerId}`}>{detail.transformerName}</Link>
            ) : null,
          },
          { label: t('type'), value: <Model name={detail.dcuTypeName} /> },
          { label: t('communicateType'), value: t(detail.communicateType) },
          { label: t('connectionType'), value: t(detail.connectionType) },
          { label: t('authenticationType'), value: schemeName(detail.authenticationType) },
          { label: t('dataChannel'), value: t(detail.dataChannel) },
          { label: t('protocol'), value: t(detail.protocol) },
          { label: t('keys'), value: t(detail.hasKeys ? 'keysStored' : 'keysMissing') },
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
