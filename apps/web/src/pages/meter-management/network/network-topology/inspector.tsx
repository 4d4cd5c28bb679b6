import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { staModel } from '@hes/contract/debug/sta-model.ts';
import { nearStations } from '@hes/contract/network/near-stations.ts';
import { topology, type TopologyNode, type TopologyPicture } from '@hes/contract/network/topology.ts';
import { STATION_LINK_TEXT, STATION_ROLE_TEXT } from '@hes/contract/states/topology.ts';
import { to } from '@hes/contract/page/links.ts';
import { App, Button } from 'antd';
import { Activity, BookOpen, Cpu } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Properties, Sn } from '#kit/basics/text.tsx';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { MeterIcon } from '#domain/node-tree/device-icons.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS } from '#domain/states/tables.ts';
import { childrenOf, routeOf } from './layout.ts';
import { texts } from './messages.ts';
import { useCountNames } from '#domain/topology/count-names.ts';
import { NearStations } from '#domain/topology/near-stations.tsx';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { signalFigure } from '#domain/topology/signs.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { StationHistory } from '#domain/topology/station-history.tsx';
import styles from './topology.module.css';

const PINGS = 4;

interface InspectorProps {
  picture: TopologyPicture;
  node: TopologyNode;
  onSelect: (mac: string | undefined) => void;
}

/** Details of a station: route to the DCU, signal over several days, neighbours. */
export function Inspector({ picture, node, onSelect }: InspectorProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [run, setRun] = useState<string>();
  const countNames = useCountNames();
  const history = useApiQuery(topology.node, { params: { dcuId: picture.dcuId, mac: node.mac }, keep: false });
  const byMac = useMemo(() => new Map(picture.nodes.map((one) => [one.mac, one])), [picture]);
  const route = useMemo(() => routeOf(byMac, node.mac), [byMac, node]);
  const beside = useMemo(() => childrenOf(picture.nodes).get(node.parentMac) ?? [], [picture, node]);
  const near = useMemo(() => nearStations(picture.nodes, node), [picture, node]);
  const at = beside.indexOf(node);
  const ping = useApiMutation(staModel.ping, {
    success: ({ taskId }) => setRun(taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  const goTo = (to: number) => (beside[to] ? () => onSelect(beside[to]?.mac) : undefined);
  return (
    <SidePane label={node.sn}>
      <PaneHead
        icon={<MeterIcon size={18} aria-hidden="true" />}
        title={<Sn sn={node.sn} />}
        place={[node.isOnline ? `${t('level')} ${node.level}` : t('offline'), t(node.phase), say(STATION_ROLE_TEXT[node.role])].join(' · ')}
        state={<StateOf sign={FRESHNESS[node.freshness]} tag />}
        onPrevious={goTo(at - 1)}
        onNext={goTo(at + 1)}
        onClose={() => onSelect(undefined)}
      />
      <PaneActions>
        {node.meterId === null ? null : (
          <LinkButton
            to={to.onDemandReading({ targets: `meter:${node.meterId}` })}
            type="primary"
            icon={<BookOpen size={15} aria-hidden="true" />}
          >
            {t('readNow')}
          </LinkButton>
        )}
        {may(staModel.ping) ? (
          <Button
            icon={<Activity size={15} aria-hidden="true" />}
            disabled={picture.onlineStatus !== 'online' || node.meterId === null}
            title={picture.onlineStatus === 'online' ? undefined : say(NOT_ONLINE_TEXT[picture.onlineStatus])}
            loading={ping.isPending}
            onClick={() => ping.mutate({ params: { mac: node.mac }, body: { dcuId: picture.dcuId, count: PINGS, intervalS: 1 } })}
          >
            {t('ping')}
          </Button>
        ) : null}
        {may(staModel.list) ? (
          <LinkButton to={to.stations({ dcuId: picture.dcuId, search: node.sn })} icon={<Cpu size={15} aria-hidden="true" />}>
            {t('stationModel')}
          </LinkButton>
        ) : null}
      </PaneActions>
      <div className={styles['sections']}>
        <PaneSection title={t('route')} note={t('hops', { count: route.length })}>
          <ol className={styles['route']} aria-label={t('route')}>
            {route.map((one) => (
              <li key={one.mac}>
                <button type="button" onClick={() => onSelect(one.mac)}>
                  <Sn sn={one.sn} />
                  <small>
                    <SignalBars signal={one.signal} /> {signalFigure(one)}
                  </small>
                </button>
              </li>
            ))}
            <li data-root>
              <Sn sn={picture.sn} />
              <small>{picture.transformerName}</small>
            </li>
          </ol>
        </PaneSection>
        <Properties
          items={[
            { label: t('mac'), value: <span className="mono">{node.mac}</span> },
            { label: t('tei'), value: <span className="mono">{node.nodeId}</span> },
            { label: t('link'), value: say(STATION_LINK_TEXT[node.link]) },
            { label: t('signal'), value: <SignalBars signal={node.signal} /> },
            { label: node.link === 'rf' ? 'RSSI' : 'SNR', value: signalFigure(node) },
            { label: t('upDown'), value: node.upPct === null ? '—' : `${node.upPct} / ${node.downPct} %` },
            { label: t('onlineSince'), value: node.onlineSince === null ? '—' : dateTime(node.onlineSince) },
            { label: t('lastComm'), value: node.lastCommAt === null ? '—' : dateTime(node.lastCommAt) },
            { label: t('version'), value: <span className="mono">{node.softwareVersion ?? '—'}</span> },
          ]}
        />
        <StationHistory history={history} link={node.link} />
        <NearStations near={near} onSelect={onSelect} />
      </div>
      {run === undefined ? null : <DeviceRun taskId={run} title={t('ping')} nameOf={countNames} onClose={() => setRun(undefined)} />}
    </SidePane>
  );
}
