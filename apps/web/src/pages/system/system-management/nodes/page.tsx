import { hasSuccessor, node, type NodeEvent, type NodeRow } from '@hes/contract/manager/node.ts';
import { NODE_ROLE_TEXT, unfilledRoles, type NodeRole } from '@hes/contract/states/node.ts';
import { Alert } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { ListPage } from '#kit/page/list-page.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { texts } from './messages.ts';
import { BackupPanel } from './backup-panel.tsx';
import { NodeActions } from './node-actions.tsx';
import { NODE, NODE_EVENT } from './signs.ts';
import styles from './nodes.module.css';

const NODES_MS = 2000;
const EVENTS_MS = 5000;

/** The head-ends on this database, and what happened to them. */
export default function Nodes() {
  const t = useMessages(texts);
  const nodes = useApiQuery(node.list, { refetchMs: NODES_MS });
  const events = useApiQuery(node.events, { refetchMs: EVENTS_MS });
  const reload = () => {
    void nodes.refetch();
    void events.refetch();
  };
  return (
    <ListPage title={t('title')} purpose={t('purpose')}>
      <div className={styles['panels']}>
        <p className={styles['help']}>
          {t('help')} {nodes.data?.items.filter(isRunning).length === 1 ? t('lastNode') : null}
        </p>
        <Panel flush label={t('title')}>
          <PanelState query={nodes} isEmpty={({ items }) => items.length === 0} empty={<Empty text={t('noNodes')} />}>
            {({ items }) => (
              <>
                <UnfilledRoles rows={items} />
                <NodeTable rows={items} onOrdered={reload} />
              </>
            )}
          </PanelState>
        </Panel>
        <BackupPanel />
        <Panel flush title={t('moved')}>
          <PanelState
            query={events}
            isEmpty={({ items }) => items.length === 0}
            empty={<Empty text={t('noEvents')} hint={t('noEventsHint')} />}
          >
            {({ items }) => <EventTable rows={items} />}
          </PanelState>
        </Panel>
      </div>
    </ListPage>
  );
}

const isRunning = ({ state }: NodeRow) => state !== 'stopped' && state !== 'died';

/** Says which roles no running node has, and what waits therefore. Renders nothing if each has one. */
function UnfilledRoles({ rows }: { rows: NodeRow[] }) {
  const t = useMessages(texts);
  const roles = unfilledRoles(rows.filter(isRunning).map((row) => row.roles));
  if (roles.length === 0) return null;
  return <Alert showIcon banner type="error" title={roles.map((role) => t(`unfilled_${role}`)).join(' ')} />;
}

function NodeTable({ rows, onOrdered }: { rows: NodeRow[]; onOrdered: () => void }) {
  const t = useMessages(texts);
  const locale = usePreferences((state) => state.locale);
  const say = useSay();
  const open = rows.filter(isRunning).map((row) => ({ ...row, isDraining: row.state !== 'alive' }));
  const roleText = (role: NodeRole) => say(NODE_ROLE_TEXT[role]);
  const columns: Column<NodeRow>[] = [
    { key: 'name', title: t('name'), width: 200, mono: true, value: (row) => row.name },
    { key: 'state', title: t('state'), width: 130, value: (row) => row.state, cell: (row) => <StateOf sign={NODE[row.state]} /> },
    { key: 'roles', title: t('roles'), hint: t('rolesHint'), width: 200, value: (row) => row.roles.map(roleText).join(', ') },
    { key: 'devices', title: t('devices'), hint: t('devicesHint'), width: 100, align: 'right', value: (row) => row.devices },
    { key: 'leases', title: t('leases'), hint: t('leasesHint'), width: 130, align: 'right', value: (row) => row.leases },
    {
      key: 'aliveAt',
      title: t('aliveAt'),
      hint: t('aliveHint'),
      width: 160,
      time: (row) => row.aliveAt,
      cell: (row) => t('ago', { age: ageOf(0, row.silentS * 1000, locale) }),
    },
    { key: 'startedAt', title: t('startedAt'), width: 160, time: (row) => row.startedAt },
    { key: 'version', title: t('version'), width: 100, mono: true, value: (row) => row.version },
    {
      key: 'drain',
      title: t('actions'),
      width: 120,
      cell: (row) => <NodeActions row={row} hasSuccessor={hasSuccessor({ ...row, isDraining: false }, open)} onOrdered={onOrdered} />,
    },
  ];
  return <DataTable<NodeRow> label={t('title')} columns={columns} rows={rows} rowKey={({ id }) => id} rowName={({ name }) => name} />;
}

function EventTable({ rows }: { rows: NodeEvent[] }) {
  const t = useMessages(texts);
  const columns: Column<NodeEvent>[] = [
    { key: 'at', title: t('at'), width: 160, time: (row) => row.at },
    { key: 'node', title: t('name'), width: 200, mono: true, value: (row) => row.nodeName },
    { key: 'kind', title: t('event'), width: 280, value: (row) => row.kind, cell: (row) => <StateOf sign={NODE_EVENT[row.kind]} /> },
    { key: 'devices', title: t('devices'), width: 100, align: 'right', value: (row) => row.devices },
    { key: 'by', title: t('by'), width: 160, value: (row) => row.userName, cell: (row) => row.userName ?? t('itself') },
  ];
  return <DataTable<NodeEvent> label={t('moved')} columns={columns} rows={rows} rowKey={({ id }) => id} />;
}
