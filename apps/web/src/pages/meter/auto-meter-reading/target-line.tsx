import { meter } from '@hes/contract/asset/meter.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button, Tag } from 'antd';
import { ScanSearch } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { CopyButton, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS } from '#domain/states/tables.ts';
import { texts } from './columns.tsx';
import styles from './reading.module.css';

/** The displayed meter: identity, location, last contact. */
export function TargetLine({ meterId }: { meterId: string }) {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const query = useApiQuery(meter.get, { params: { id: meterId } });
  const shown = query.data;
  if (!shown) return null;
  return (
    <div className={styles['target']}>
      <b>
        <Sn sn={shown.sn} />
      </b>
      <CopyButton text={shown.sn} />
      <StateOf sign={FRESHNESS[shown.freshness]} />
      {shown.setAside === null ? null : (
        <Tag color="warning" title={t('setAsideWhy', { why: shown.setAside.why })}>
          {t('setAside', { at: dateTime(shown.setAside.until) })}
        </Tag>
      )}
      <span>{[shown.customerName, shown.address, shown.transformerName, shown.dcuSn].filter(Boolean).join(' · ')}</span>
      <Button
        size="small"
        icon={<ScanSearch size={13} aria-hidden="true" />}
        onClick={() => void navigate(to.onDemandReading({ targets: `meter:${shown.id}` }))}
      >
        {t('readNow')}
      </Button>
    </div>
  );
}
