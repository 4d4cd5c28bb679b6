import { event } from '@hes/contract/event/event.ts';
import { EVENT_DIRECTION_TEXT, EVENT_LOG_TEXT, type EventLog } from '@hes/contract/states/event.ts';
import { DatePicker, Select } from 'antd';
import dayjs from 'dayjs';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter, type UrlValues } from '#core/url/url-state.ts';
import { daysBetween } from '#core/time/format.ts';
import { NodeFilter } from '#domain/node-tree/node-filter.tsx';
import { texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

export const FILTERS = {
  level: undefined,
  acknowledged: undefined,
  from: undefined,
  to: undefined,
  codes: undefined,
  logs: undefined,
  search: undefined,
  node: undefined,
  nodeName: undefined,
  direction: undefined,
  incident: undefined,
};
type Url = UrlValues<keyof typeof FILTERS>;

const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;
const LOGS = Object.keys(EVENT_LOG_TEXT) as EventLog[]; // keys of that very object
const CODE_MAX_TAGS = 1;

interface FiltersProps {
  url: Url;
  onChange: (change: Partial<Url>) => void;
}

/** The filters of the list, all of them in the address. */
export function Filters({ url, onChange }: FiltersProps) {
  const t = useMessages(texts);
  const say = useSay();
  const nameOf = useCodeName(t);
  const codes = useApiQuery(event.codes, { staleMs: Infinity });
  const [tooLong, setTooLong] = useState(false);
  return (
    <>
      <NodeFilter node={url.node} nodeName={url.nodeName} until="meter" onChange={(choice) => onChange(refilter({ ...choice }))} />
      <span className={styles['rangeBox']}>
        <DatePicker.RangePicker
          className={styles['range'] ?? ''}
          aria-label={t('range')}
          value={url.from && url.to ? [dayjs(url.from), dayjs(url.to)] : null}
          {...(tooLong ? { status: 'error' as const } : {})}
          onChange={(dates) => {
            const [first, last] = dates ?? [];
            const from = first?.format(FORMAT);
            const to = last?.format(FORMAT);
            const isLong = from !== undefined && to !== undefined && daysBetween(from, to) > MAX_DAYS;
            setTooLong(isLong);
            if (!isLong) onChange(refilter({ from, to }));
          }}
        />
        {tooLong ? (
          <span className={styles['error']} role="alert">
            {t('rangeTooLong')}
          </span>
        ) : null}
      </span>
      <TextFilter label={t('searchSn')} width={150} value={url.search} onChange={(search) => onChange(refilter({ search }))} />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('log')}
        aria-label={t('log')}
        value={url.logs}
        options={LOGS.map((value) => ({ value, label: say(EVENT_LOG_TEXT[value]) }))}
        onChange={(logs) => onChange(refilter({ logs }))}
      />
      <Select
        allowClear
        mode="multiple"
        maxTagCount={CODE_MAX_TAGS}
        className={styles['codes'] ?? ''}
        placeholder={t('code')}
        aria-label={t('code')}
        optionFilterProp="label"
        value={url.codes?.split(',') ?? []}
        options={(codes.data?.items ?? []).map((row) => ({ value: `${row.log}:${row.code}`, label: `${row.code} ${nameOf(row)}` }))}
        onChange={(values: string[]) => onChange(refilter({ codes: values.join(',') || undefined }))}
      />
      <Select
        allowClear
        className={styles['select'] ?? ''}
        placeholder={t('direction')}
        aria-label={t('direction')}
        value={url.direction}
        options={(['occur', 'recover'] as const).map((value) => ({ value, label: say(EVENT_DIRECTION_TEXT[value]) }))}
        onChange={(direction) => onChange(refilter({ direction }))}
      />
    </>
  );
}
