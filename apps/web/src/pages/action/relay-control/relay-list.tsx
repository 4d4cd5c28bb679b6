import type { QueryOf } from '@hes/contract/core/route.ts';
import { CONTROL_MODES, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { relay } from '@hes/contract/action/relay.ts';
import type { RelayState } from '@hes/contract/states/device.ts';
import { relayExport } from '@hes/contract/transfer/orders.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { History } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { flagFilter, linkFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList, type FacetCounts } from '#kit/list/list-declaration.ts';
import { nodeBeside } from '#domain/node-tree/list-filter.tsx';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { relayActions } from './actions.tsx';
import { texts } from './messages.ts';
import { OpenOrder } from './open-order.tsx';
import { RELAY } from '#domain/states/relay.ts';
import { COMMAND, RELAY_ORDER } from './signs.ts';
import styles from './relay.module.css';

const POLL_MS = 15_000;

/** Counts of relays by state under the other filters. */
const useSummary = ({ node, search, sns }: Partial<QueryOf<typeof relay.list>>) =>
  useApiQuery(relay.summary, { query: { node, search, sns }, keep: true, refetchMs: POLL_MS });

function useCounts(query: Partial<QueryOf<typeof relay.list>>): FacetCounts<RelayState> {
  const summary = useSummary(query);
  return { total: summary.data?.total, counts: summary.data?.byState ?? {}, queries: [summary] };
}

/** The supplies with their relays. */
export const relayList = defineList({
  route: relay.list,
  path: PAGE_PATH.relays,
  title: texts.title,
  purpose: texts.purpose,
  label: texts.relays,
  rowId: (row) => row.meterId,
  rowName: (row) => row.sn,
  sort: 'sn,asc',
  refetchMs: POLL_MS,
  facets: {
    key: 'state',
    label: texts.state,
    all: texts.allRelays,
    words: RELAY_ORDER,
    signs: RELAY,
    toQuery: (state: RelayState) => ({ state }),
    useCounts,
  },
  filters: [
    textFilter('search', texts.searchFor),
    flagFilter('isProtected', texts.onlyProtected),
    nodeBeside,
    /** Pasted serial numbers, separated by commas. */
    linkFilter('sns'),
  ],
  columns: [
    { key: 'sn', title: texts.meterSn, width: 148, sort: 'sn', cell: (row) => <StatusLink kind="meter" id={row.meterId} sn={row.sn} /> },
    {
      key: 'customer',
      title: texts.customer,
      width: 190,
      sort: 'customerName',
      cell: (row, { say }) => (
        <span className={styles['customer']}>
          <span>{row.customerName ?? row.customerNo ?? '—'}</span>
          {row.isProtected ? <b className={styles['protected']}>{say(texts.protected)}</b> : null}
        </span>
      ),
    },
    { key: 'address', title: texts.address, low: true, value: (row) => row.address },
    {
      key: 'state',
      title: texts.state,
      width: 220,
      cell: (row) => (
        <span className={styles['command']}>
          <StateOf sign={RELAY[row.relayState]} />
          <OpenOrder order={row.openOrder} />
        </span>
      ),
    },
    {
      key: 'contact',
      title: texts.contact,
      width: 84,
      low: true,
      cell: (row, { say }) => (row.output === null ? '—' : say(row.output ? texts.closed : texts.open)),
    },
    {
      key: 'mode',
      title: texts.mode,
      width: 84,
      low: true,
      align: 'right',
      value: (row) => row.controlMode,
      cell: (row, { say }) => <span title={say(CONTROL_MODES[row.controlMode]?.text ?? { en: '', zh: '' })}>{row.controlMode}</span>,
    },
    {
      key: 'lastCommand',
      title: texts.lastCommand,
      width: 210,
      cell: (row, { say }) =>
        row.command === null ? (
          '—'
        ) : (
          <span className={styles['command']}>
            {say(RELAY_OPERATION_TEXT[row.command.operation])}
            <StateOf sign={COMMAND[row.command.state]} />
          </span>
        ),
    },
    {
      key: 'switchedAt',
      title: texts.switchedAt,
      width: 164,
      low: true,
      sort: 'switchedAt',
      time: (row) => row.switchedAt,
    },
    { key: 'by', title: texts.by, width: 112, low: true, value: (row) => row.switchedByName },
    { key: 'readAt', title: texts.readAt, width: 164, low: true, sort: 'readAt', time: (row) => row.readAt },
    { key: 'transformer', title: texts.transformer, width: 160, low: true, value: (row) => row.transformerName },
  ],
  actions: relayActions,
  onRow: {
    key: 'open',
    label: texts.lastCommand,
    icon: History,
    right: relay.list,
    act: { kind: 'show', change: ({ command }) => (command ? { task: command.taskId } : {}) },
  },
  export: relayExport,
  empty: texts.noMatch,
});
