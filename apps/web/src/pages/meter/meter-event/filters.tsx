import type { QueryOf } from '@hes/contract/core/route.ts';
import { event } from '@hes/contract/event/event.ts';
import { EVENT_DIRECTION_TEXT, EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import { Button, Select } from 'antd';
import { X } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { nodeFilter } from '#domain/node-tree/list-filter.tsx';
import { LEVEL } from '#domain/states/event-tables.ts';
import { daysFilter } from '#kit/list/days-filter.tsx';
import { linkFilter, textFilter, wordFilter, type Filter, type FilterProps } from '#kit/list/filters.tsx';
import type { FacetCounts } from '#kit/list/list-declaration.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

const FACETS = ['serious', 'warning', 'unacknowledged'] as const;
type Facet = (typeof FACETS)[number];
const UNACKNOWLEDGED: Sign = { shape: 'clock', tone: 'wait', text: texts.unacknowledged };

function useCounts(query: Partial<QueryOf<typeof event.facets>>): FacetCounts<Facet> {
  const facets = useApiQuery(event.facets, { query, keep: true, refetchMs: 60_000 });
  return { total: facets.data?.all, counts: facets.data ?? {}, queries: [facets] };
}

/** Levels, and events that wait for an acknowledgement. */
export const eventFacets = {
  key: 'level',
  elsewhere: { unacknowledged: ['acknowledged', 'false'] },
  label: texts.level,
  all: texts.all,
  words: FACETS,
  signs: { serious: LEVEL.serious, warning: LEVEL.warning, unacknowledged: UNACKNOWLEDGED },
  toQuery: (word: Facet) => (word === 'unacknowledged' ? { acknowledged: 'false' } : { level: word }),
  useCounts,
} as const;

/** Several codes of the catalogue. */
const codesFilter: Filter<{ codes?: string }> = {
  ...linkFilter('codes'),
  Control: function Codes({ url, onChange }: FilterProps) {
    const t = useMessages(texts);
    const nameOf = useCodeName();
    const codes = useApiQuery(event.codes, { staleMs: Infinity });
    return (
      <Select
        allowClear
        mode="multiple"
        maxTagCount={1}
        className={styles['codes'] ?? ''}
        placeholder={t('code')}
        aria-label={t('code')}
        optionFilterProp="label"
        value={url['codes']?.split(',') ?? []}
        options={(codes.data?.items ?? []).map((row) => ({ value: `${row.log}:${row.code}`, label: `${row.code} ${nameOf(row)}` }))}
        onChange={(values: string[]) => onChange({ codes: values.join(',') || undefined })}
      />
    );
  },
};

/** The members of one incident; the button removes the filter. */
const incidentFilter: Filter<{ incidentId?: string }> = {
  ...linkFilter('incidentId'),
  Control: function Incident({ url: { incidentId: id }, onChange }: FilterProps) {
    const t = useMessages(texts);
    if (id === undefined) return null;
    return (
      <Button icon={<X size={14} aria-hidden="true" />} iconPlacement="end" onClick={() => onChange({ incidentId: undefined })}>
        {t('ofIncident', { id })}
      </Button>
    );
  },
};

/** Filters of events, which are those of incidents too. */
export const eventFilters = [
  textFilter('search', texts.searchSn, { width: 150 }),
  nodeFilter('meter'),
  daysFilter(texts.range),
  wordFilter('logs', texts.log, EVENT_LOG_TEXT, { width: 128 }),
  codesFilter,
  wordFilter('direction', texts.direction, EVENT_DIRECTION_TEXT, { width: 128 }),
  incidentFilter,
];
