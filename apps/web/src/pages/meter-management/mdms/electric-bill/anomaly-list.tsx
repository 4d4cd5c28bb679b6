import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { anomalyFilters, anomalyParts } from '#domain/anomaly-list/anomaly-parts.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { texts } from './messages.ts';
import { scopes } from './period-filter.ts';

/** Days of the period with unusual values. */
export const anomalyList = defineList({
  ...anomalyParts,
  path: PAGE_PATH.bills,
  at: { tab: 'anomalies' },
  title: texts.title,
  purpose: texts.purpose,
  filters: [...scopes, ...anomalyFilters],
});
