import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { anomalyFilters, anomalyParts } from '#domain/anomaly-list/anomaly-parts.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { rangeScope, transformerNode } from './address.ts';
import { texts } from './messages.ts';

/** Days with unusual consumption of the meters of a transformer. */
export const energyList = defineList({
  ...anomalyParts,
  path: PAGE_PATH.phases,
  at: { tab: 'anomalies', kind: 'energy' },
  title: texts.energyAnomalies,
  purpose: texts.limit,
  filters: [transformerNode, rangeScope, ...anomalyFilters],
});
