import { meterType, type MeterTypeRow } from '@hes/contract/asset/meter-type.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import {
  ADDRESSING_TEXT,
  AUTHENTICATION_TEXT,
  ASSOCIATION_TEXT,
  CIPHERING_TEXT,
  KEY_AGREEMENT_TEXT,
  METER_QUIRK_TEXT,
  SECURITY_SUITE_TEXT,
} from '@hes/contract/text/type-text.ts';
import { Tags as TagsIcon } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay, type Translate } from '#core/i18n/use-messages.ts';
import { Num } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { Tags } from '#kit/basics/tags.tsx';
import { TypePane } from '#domain/type-list/type-pane.tsx';
import { texts } from './messages.ts';
import { withUnit } from './with-unit.ts';

/** What a type says about its direct meters. */
const directLines = (row: MeterTypeRow, t: Translate<typeof texts>) => [
  { label: t('heartbeatSeconds'), value: <Num value={row.heartbeatSeconds} unit={t('seconds')} /> },
  { label: t('apduSize'), value: <Num value={row.apduSize} unit={t('bytes')} /> },
  {
    label: t('allowedAddresses'),
    wide: true,
    value: row.allowedAddresses.length > 0 ? <Tags words={row.allowedAddresses} /> : t('onlyCertificate'),
  },
];

/** The details of a meter type. */
export function MeterTypePane(props: PaneProps<MeterTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(meterType.get, { params: { id: props.id } });
  return (
    <TypePane<MeterTypeRow>
      {...props}
      query={query}
      title={t('title')}
      icon={<TagsIcon size={20} aria-hidden="true" />}
      properties={(row) => [
        { label: t('phase'), value: say(METER_PHASE_TEXT[row.phase]) },
        { label: t('accuracy'), value: row.accuracy },
        { label: t('voltage'), value: withUnit(row.voltage, 'V') },
        { label: t('current'), value: withUnit(row.current, 'A') },
        { label: t('ctMetering'), value: t(row.ctMetering ? 'yes' : 'no') },
        {
          label: t('communicationModes'),
          value: <Tags words={row.communicationModes.map((mode) => say(COMMUNICATION_MODE_TEXT[mode]))} />,
        },
        { label: t('hasRelay'), value: row.hasRelay ? `${t('yes')} · ${t('relayMode')} ${row.relayMode}` : t('no') },
        { label: t('template'), value: row.profileName },
        { label: t('authenticationType'), value: say(AUTHENTICATION_TEXT[row.authenticationType]) },
        { label: t('association'), value: say(ASSOCIATION_TEXT[row.association]) },
        { label: t('ciphering'), value: say(CIPHERING_TEXT[row.ciphering]) },
        {
          label: t('keyAgreement'),
          value: [say(KEY_AGREEMENT_TEXT[row.keyAgreement]), row.generalSigning ? t('generalSigning') : undefined]
            .filter(Boolean)
            .join(' · '),
        },
        { label: t('securitySuite'), value: say(SECURITY_SUITE_TEXT[row.securitySuite]) },
        ...(row.communicationModes.includes('direct') ? directLines(row, t) : []),
        { label: t('addressing'), value: `${say(ADDRESSING_TEXT[row.addressing])} · ${row.clientSap} → ${row.serverSap}` },
        { label: t('lpaPeriodSec'), value: t('minutes', { count: row.lpaPeriodSec / 60 }) },
        { label: t('lpbPeriodSec'), value: t('minutes', { count: row.lpbPeriodSec / 60 }) },
        ...(SPOKEN.imageBlockSize.type === true
          ? [
              {
                label: t('imageBlockSize'),
                value: row.imageBlockSize === null ? t('imageFromMeter') : <Num value={row.imageBlockSize} unit={t('bytes')} />,
              },
            ]
          : []),
        ...(offered(SPOKEN.quirks).length > 0
          ? [{ label: t('quirks'), value: <Tags words={row.quirks.map((quirk) => say(METER_QUIRK_TEXT[quirk]))} /> }]
          : []),
        { label: t('meters'), value: <Num value={row.meters} /> },
      ]}
    />
  );
}
