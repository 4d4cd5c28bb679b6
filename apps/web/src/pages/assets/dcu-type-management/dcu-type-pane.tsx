import { DCU_PARTS } from '@hes/contract/asset/dcu-part.ts';
import { dcuType, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import { hasMutualProof, offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT, DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { Layers } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay, type Translate } from '#core/i18n/use-messages.ts';
import { Num } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { Tags } from '#kit/basics/tags.tsx';
import { TypePane } from '#domain/type-list/type-pane.tsx';
import { texts } from './messages.ts';

const FEATURES = offered(SPOKEN.features);

/** How DCUs of the type are admitted when they dial in. */
function admission({ authenticationType, allowedAddresses }: DcuTypeRow, t: Translate<typeof texts>) {
  if (allowedAddresses.length > 0) return <Tags words={allowedAddresses} />;
  return t(hasMutualProof(authenticationType) ? 'notUsedWithKeys' : 'onlyCertificate');
}

/** The details of a DCU type. */
export function DcuTypePane(props: PaneProps<DcuTypeRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(dcuType.get, { params: { id: props.id } });
  return (
    <TypePane<DcuTypeRow>
      {...props}
      query={query}
      title={t('title')}
      icon={<Layers size={20} aria-hidden="true" />}
      properties={(row) => [
        { label: t('protocol'), value: say(PROTOCOL_TEXT[row.protocol]) },
        { label: t('authenticationType'), value: say(AUTHENTICATION_TEXT[row.authenticationType]) },
        { label: t('allowedAddresses'), wide: true, value: admission(row, t) },
        { label: t('downlinkModes'), value: <Tags words={row.downlinkModes.map((mode) => say(DOWNLINK_TEXT[mode]))} /> },
        { label: t('maxMeters'), value: <Num value={row.maxMeters} /> },
        { label: t('parallelMeters'), value: <Num value={row.parallelMeters} /> },
        { label: t('heartbeatSeconds'), value: <Num value={row.heartbeatSeconds} unit={t('seconds')} /> },
        { label: t('apduSize'), value: <Num value={row.apduSize} unit={t('bytes')} /> },
        { label: t('profile'), value: row.profileName },
        {
          label: t('parts'),
          wide: true,
          value: row.parts.length === 0 ? t('onlyForwards') : <Tags isWhole words={row.parts.map((part) => say(DCU_PARTS[part]))} />,
        },
        { label: t('hardwareVersion'), value: row.hardwareVersion },
        ...(FEATURES.length > 0
          ? [
              {
                label: t('features'),
                wide: true,
                value: <Tags isWhole words={row.features.map((feature) => say(FEATURE_TEXT[feature]))} />,
              },
            ]
          : []),
        { label: t('dcus'), value: <Num value={row.dcus} /> },
      ]}
    />
  );
}
