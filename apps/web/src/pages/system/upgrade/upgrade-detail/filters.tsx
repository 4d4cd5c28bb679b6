import { CHECK_RESULT_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { MAX_RINGS, upgradeJob } from '@hes/contract/upgrade/job.ts';
import { DatePicker, Select } from 'antd';
import dayjs from 'dayjs';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { daysBetween } from '#core/time/format.ts';
import { choicesOf } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';
import styles from './detail.module.css';

export const FILTERS = {
  type: undefined,
  sn: undefined,
  ring: undefined,
  dcuId: undefined,
  dcuSn: undefined,
  from: undefined,
  to: undefined,
  checkResult: undefined,
};
type Url = Record<keyof typeof FILTERS | 'jobId', string | undefined>;

const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;
/** The newest upgrades; older ones are opened from their list. */
const JOBS = 100;

const RINGS = Array.from({ length: MAX_RINGS + 1 }, (_, at) => String(at + 1));

export function Filters({ url, onChange }: { url: Url; onChange: (change: Partial<Url>) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [tooLong, setTooLong] = useState(false);
  const jobs = useApiQuery(upgradeJob.list, { query: { page: 1, size: JOBS }, enabled: may(upgradeJob.list) });
  const choice = (key: 'type' | 'checkResult', label: string, options: { value: string; label: string }[]) => (
    <Select
      allowClear
      style={{ width: 170 }}
      placeholder={label}
      aria-label={label}
      value={url[key]}
      options={options}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <>
      <TextFilter label={t('sn')} width={170} value={url.sn} onChange={(sn) => onChange({ sn })} />
      <TextFilter label={t('dcu')} width={150} value={url.dcuSn} onChange={(dcuSn) => onChange({ dcuSn })} />
      {may(upgradeJob.list) ? (
        <Select
          allowClear
          showSearch={{ optionFilterProp: 'label' }}
          style={{ width: 190 }}
          placeholder={t('job')}
          aria-label={t('job')}
          value={url.jobId}
          options={(jobs.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(jobId) => onChange({ jobId, ring: undefined })}
        />
      ) : null}
      <Select
        allowClear
        style={{ width: 110 }}
        placeholder={t('ring')}
        aria-label={t('ring')}
        value={url.ring}
        options={RINGS.map((ring) => ({ value: ring, label: t('ringNo', { ring }) }))}
        onChange={(ring) => onChange({ ring })}
      />
      {choice('type', t('type'), choicesOf(UPGRADE_TARGET_TEXT, say))}
      {choice('checkResult', t('checkResult'), choicesOf(CHECK_RESULT_TEXT, say))}
      <DatePicker.RangePicker
        style={{ width: 240 }}
        aria-label={t('range')}
        value={url.from && url.to ? [dayjs(url.from), dayjs(url.to)] : null}
        {...(tooLong ? { status: 'error' as const } : {})}
        onChange={(dates) => {
          const [from, to] = [dates?.[0]?.format(FORMAT), dates?.[1]?.format(FORMAT)];
          const isLong = from !== undefined && to !== undefined && daysBetween(from, to) >= MAX_DAYS;
          setTooLong(isLong);
          if (!isLong) onChange({ from, to });
        }}
      />
      {tooLong ? (
        <span className={styles['red']} role="alert">
          {t('rangeTooLong')}
        </span>
      ) : null}
    </>
  );
}
