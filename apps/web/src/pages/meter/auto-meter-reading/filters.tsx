import type { PageWords } from '@hes/contract/page/links.ts';
import type { GapReading, ProfileRow } from '@hes/contract/reading/reading.ts';
import type { CommunicationMode } from '@hes/contract/states/device.ts';
import { QUALITY_TEXT } from '@hes/contract/states/reading.ts';
import { Button, Select } from 'antd';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { Filter, FilterProps } from '#kit/list/filters.tsx';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/write-url.ts';
import { ITEM } from '#domain/states/tables.ts';
import { texts } from './columns.tsx';
import styles from './reading.module.css';

const FILTERS = { search: undefined, mode: undefined, quality: undefined, reading: undefined };
type Url = Pick<PageWords<'readings'>, keyof typeof FILTERS | 'view'>;

export const MODES: CommunicationMode[] = ['plc', 'rf'];
const QUALITIES: ProfileRow['quality'][] = ['read', 'refilled', 'manual', 'estimated', 'invalid', 'missing'];
export const READINGS: GapReading[] = ['waiting', 'reading', 'read_success', 'read_fail'];

/** The filters that all queries about the meters of the network share. */
export const meterFilterOf = ({ search, mode }: { search?: string | undefined; mode?: string | undefined }) => ({
  search,
  mode: MODES.find((known) => known === mode),
});

export type MeterFilter = ReturnType<typeof meterFilterOf>;

/** Filters of meters are hidden where a single meter is shown. */
export const ofManyMeters = <Query,>({ Control, ...filter }: Filter<Query>): Filter<Query> => ({
  ...filter,
  ...(Control
    ? { Control: (props: FilterProps) => (props.url['node']?.startsWith('meter:') === true ? null : <Control {...props} />) }
    : {}),
});

interface FiltersProps {
  url: Url;
  /** A single meter is shown: filters of meters are hidden. */
  isOneMeter: boolean;
  onChange: (change: Omit<Url, 'view'> & { page: undefined }) => void;
}

/** Filters by meter and by the state of its readings. */
export function Filters({ url, isOneMeter, onChange }: FiltersProps) {
  const t = useMessages(texts);
  const say = useSay();
  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // as: a key of that very object
  return (
    <div className={styles['filters']}>
      {isOneMeter ? null : (
        <>
          <TextFilter label={t('sn')} width={170} value={url.search} onChange={(search) => onChange(refilter({ search }))} />
          <Select
            allowClear
            className={styles['filter'] ?? ''}
            placeholder={t('mode')}
            aria-label={t('mode')}
            value={url.mode}
            options={MODES.map((value) => ({ value, label: value.toUpperCase() }))}
            onChange={(mode) => onChange(refilter({ mode }))}
          />
        </>
      )}
      <Select
        allowClear
        className={styles['filter'] ?? ''}
        placeholder={t('readingState')}
        aria-label={t('readingState')}
        value={url.reading}
        options={READINGS.map((value) => ({ value, label: say(ITEM[value].text) }))}
        onChange={(reading) => onChange(refilter({ reading }))}
      />
      {url.view === 'table' ? (
        <Select
          allowClear
          className={styles['filter'] ?? ''}
          placeholder={t('quality')}
          aria-label={t('quality')}
          value={url.quality}
          options={QUALITIES.map((value) => ({ value, label: say(QUALITY_TEXT[value]) }))}
          onChange={(quality) => onChange(refilter({ quality }))}
        />
      ) : null}
      {isFiltered ? (
        <Button type="link" onClick={() => onChange(refilter(FILTERS))}>
          {t('clearFilters')}
        </Button>
      ) : null}
    </div>
  );
}
