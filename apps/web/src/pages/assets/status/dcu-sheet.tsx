import { clock } from '@hes/contract/action/clock.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { connecting } from '@hes/contract/asset/connecting.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import { event } from '@hes/contract/event/event.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { to } from '@hes/contract/page/links.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { causesOf, healthOf, type StatusAction } from '@hes/contract/status/cause.ts';
import { DCU_CAUSES } from '@hes/contract/status/dcu-causes.ts';
import { dcuStatus, type DcuFacts } from '@hes/contract/status/dcu-status.ts';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DcuIcon } from '#domain/node-tree/device-icons.tsx';
import { clockSigns } from '#domain/states/event-tables.ts';
import { FRESHNESS, ONLINE } from '#domain/states/tables.ts';
import { useThresholds } from '#domain/states/thresholds.ts';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { Properties, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { CauseList } from './cause-list.tsx';
import { Attempts, Events, shortTime, useReasonOf } from './meter-evidence.tsx';
import { useWhen } from './meter-identity.tsx';
import { texts } from './messages.ts';
import { Rows } from './rows.tsx';
import { StatusHead } from './status-head.tsx';
import { useLinkButtons, type LinkStep } from './step-buttons.tsx';
import { Timeline } from './timeline.tsx';
import styles from './status.module.css';

const POLL_MS = 60_000;
const ALWAYS: readonly StatusAction[] = ['asset', 'readings', 'events', 'route', 'archives', 'log'];

function stepsOfDcu({ id, sn }: DcuFacts): Partial<Record<StatusAction, LinkStep>> {
  const node = `dcu:${id}` as const;
  return {
    asset: { right: dcu.list, to: to.dcus({ search: sn, sel: id }) },
    readings: { right: reading.daily, to: to.readings({ node, view: 'gaps' }) },
    events: { right: event.list, to: to.events({ node, nodeName: sn }) },
    route: { right: topology.dcus, to: to.topology({ node, dcu: id }) },
    archives: { right: archive.list, to: to.archives({ node, dcuId: id }) },
    log: { right: dcuLog.list, to: to.dcuLog({ node, view: 'history' }) },
    clock: { right: clock.list, to: to.clocks({ search: sn, kind: 'dcu' }) },
    connect: { right: connecting.overview, to: to.connect({ kind: 'dcu', id }) },
  };
}

function DcuIdentity({ facts }: { facts: DcuFacts }) {
  const t = useMessages(texts);
  const when = useWhen(facts.at);
  const signs = clockSigns(useThresholds());
  const { network, uplink, transformer, archive } = facts;
  return (
    <Panel title={t('identity')}>
      <Properties
        items={[
          {
            label: t('transformer'),
            wide: true,
            value: transformer === null ? '—' : <Link to={to.status({ node: `transformer:${transformer.id}` })}>{transformer.name}</Link>,
          },
          { label: t('type'), wide: true, value: facts.typeName },
          { label: t('firmware'), wide: true, value: facts.firmwareVersion },
          { label: t('lastComm'), wide: true, value: when(facts.lastCommAt) },
          { label: t('connections24h'), wide: true, value: facts.connections },
          {
            label: t('uplink'),
            wide: true,
            value:
              uplink === null ? (
                t('noModem')
              ) : (
                <>
                  <SignalBars signal={uplink.signal} />{' '}
                  {[uplink.signalDbm === null ? null : `${uplink.signalDbm} dBm`, uplink.operator].filter(Boolean).join(' · ')}
                </>
              ),
          },
          { label: t('metersOf'), wide: true, value: t('silentMeters', { silent: facts.silent, meters: facts.meters }) },
          {
            label: t('stations'),
            wide: true,
            value:
              network === null
                ? t('notShown')
                : network.takenAt === null
                  ? t('networkNever')
                  : t('stationsOf', { online: network.online, count: network.stations, depth: network.depth }),
          },
          { label: t('archiveDiffers'), wide: true, value: archive === null ? t('notShown') : (archive.differs ?? t('archiveNever')) },
          { label: t('clock'), wide: true, value: facts.clock === null ? t('notShown') : <StateOf sign={signs[facts.clock.class]} /> },
        ]}
      />
    </Panel>
  );
}

/** Meters without communication for a day, each with a link to its own status. */
function SilentMeters({ facts }: { facts: DcuFacts }) {
  const t = useMessages(texts);
  const reasonOf = useReasonOf();
  return (
    <Rows
      title={t('silentTitle')}
      rows={facts.silentMeters}
      empty={t('noneSilent')}
      rowKey={({ meterId }) => meterId}
      columns={[
        {
          title: t('meterSn'),
          width: '34%',
          cell: ({ meterId, sn }) => <Link to={to.status({ node: `meter:${meterId}` })}>{<Sn sn={sn} />}</Link>,
        },
        { title: t('lastComm'), width: '22%', cell: ({ lastCommAt }) => (lastCommAt === null ? t('never') : shortTime(lastCommAt)) },
        { title: t('reason'), cell: ({ reasonCode }) => reasonOf(reasonCode) },
      ]}
    />
  );
}

function DcuSheet({ facts }: { facts: DcuFacts }) {
  const buttons = useLinkButtons(stepsOfDcu(facts));
  const codes = causesOf(DCU_CAUSES, facts);
  return (
    <>
      <StatusHead
        icon={<DcuIcon size={22} aria-hidden="true" />}
        sn={facts.sn}
        place={[facts.name, facts.transformer?.name, facts.typeName]}
        health={healthOf(DCU_CAUSES, codes)}
        states={
          <>
            <StateOf tag sign={ONLINE[facts.onlineStatus]} />
            <StateOf tag sign={FRESHNESS[facts.freshness]} />
          </>
        }
      >
        {buttons(ALWAYS)}
      </StatusHead>
      <CauseList table={DCU_CAUSES} codes={codes} facts={facts} at={facts.at} buttons={buttons} />
      <div className={styles['columns']}>
        <div>
          <SilentMeters facts={facts} />
          <Attempts rows={facts.attempts} />
          <Events rows={facts.events} />
        </div>
        <div>
          <DcuIdentity facts={facts} />
          <Timeline rows={facts.timeline} />
        </div>
      </div>
    </>
  );
}

/** The status of one DCU, from one request. */
export function DcuStatus({ id }: { id: string }) {
  const facts = useApiQuery(dcuStatus.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <PanelState query={facts} lines={12}>
      {(data) => <DcuSheet facts={data} />}
    </PanelState>
  );
}
