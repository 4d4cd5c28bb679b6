import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { event } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import { incidentExport } from '@hes/contract/transfer/orders.ts';
import { elapsed } from '#core/time/format.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Sn } from '#kit/basics/text.tsx';
import { Meter } from '#kit/chart/bars.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { acknowledgeCauses, showMembers } from './actions.ts';
import { eventFacets, eventFilters } from './filters.tsx';
import { IncidentPane } from './incident-pane.tsx';
import { codeName, texts } from './texts.ts';
import styles from './event.module.css';

/** The same events grouped by cause, those with most hours without recovery first; of the same weight, the serious ones. */
export const incidentList = defineList({
  route: event.incidents,
  path: PAGE_PATH.events,
  at: { view: 'byCause' },
  title: texts.title,
  purpose: texts.purpose,
  label: texts.byCause,
  rowName: (row, { say }) => say(texts.ofIncident, { id: row.id }),
  refetchMs: 60_000,
  sort: 'weight,desc',
  reloads: event.list.path,
  topics: ['event'],
  facets: eventFacets,
  filters: eventFilters,
  columns: [
    {
      key: 'abnormalLevel',
      title: texts.level,
      width: 112,
      sort: 'abnormalLevel',
      cell: (row) => <StateOf sign={LEVEL[row.abnormalLevel ?? 'none']} />,
    },
    {
      key: 'weight',
      title: texts.weight,
      hint: texts.weightHint,
      width: 100,
      align: 'right',
      sort: 'weight',
      value: (row) => row.weight,
      unit: 'h',
      decimals: 1,
    },
    { key: 'openedAt', title: texts.opened, width: 152, sort: 'openedAt', time: (row) => row.openedAt },
    { key: 'code', title: texts.code, width: 88, align: 'right', value: (row) => row.code, cell: (row) => row.code },
    {
      key: 'codeName',
      title: texts.codeName,
      width: 210,
      cell: (row, tools) => <span title={codeName(row, tools)}>{codeName(row, tools)}</span>,
    },
    { key: 'log', title: texts.log, width: 110, low: true, cell: (row, { say }) => say(EVENT_LOG_TEXT[row.log]) },
    { key: 'dcu', title: texts.dcuSn, width: 150, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'transformer', title: texts.transformer, width: 166, low: true, value: (row) => row.transformerName },
    {
      key: 'devices',
      title: texts.devices,
      width: 170,
      sort: 'devices',
      value: (row) => row.devices,
      cell: (row, { say }) => (
        <span className={styles['reach']}>
          <span>{say(texts.devicesOf, { count: row.devices, total: Math.max(row.devicesOfDcu, row.devices) })}</span>
          <Meter
            label={say(texts.devices)}
            value={row.devices}
            max={Math.max(row.devicesOfDcu, row.devices)}
            tone={row.abnormalLevel === null ? 'none' : row.devices === row.devicesOfDcu ? 'red' : 'amber'}
          />
        </span>
      ),
    },
    { key: 'members', title: texts.members, width: 86, align: 'right', sort: 'members', value: (row) => row.members },
    {
      key: 'duration',
      title: texts.duration,
      width: 100,
      align: 'right',
      cell: (row) => (row.closedAt ? elapsed(Date.parse(row.closedAt) - Date.parse(row.openedAt)) : '—'),
    },
    {
      key: 'acknowledged',
      title: texts.acknowledged,
      width: 112,
      align: 'right',
      value: (row) => row.acknowledged,
      cell: (row, { say }) => say(texts.devicesOf, { count: row.acknowledged, total: row.members }),
    },
  ],
  actions: [acknowledgeCauses, showMembers],
  Pane: IncidentPane,
  isPaneOfRow: true,
  export: incidentExport,
  empty: texts.noEvents,
  emptyHint: texts.noEventsHint,
});
