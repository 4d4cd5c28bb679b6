import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { loss } from '@hes/contract/analysis/loss.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { transformer } from '@hes/contract/asset/transformer.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { event } from '@hes/contract/event/event.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { to } from '@hes/contract/page/links.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { ANOMALY_TEXT } from '@hes/contract/states/anomaly.ts';
import { causesOf, healthOf, type StatusAction } from '@hes/contract/status/cause.ts';
import { TRANSFORMER_CAUSES } from '@hes/contract/status/transformer-causes.ts';
import { transformerStatus, type TransformerFacts } from '@hes/contract/status/transformer-status.ts';
import { Zap } from 'lucide-react';
import { Link } from 'react-router';
import { meterStatus } from '@hes/contract/status/meter-status.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { lossSigns, useLossBounds } from '#domain/states/loss.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { StackBar } from '#kit/chart/bars.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { Properties, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { CauseList } from './cause-list.tsx';
import { shortTime } from './meter-evidence.tsx';
import { useWhen } from './meter-identity.tsx';
import { texts } from './messages.ts';
import { Rows } from './rows.tsx';
import { StatusHead } from './status-head.tsx';
import { useLinkButtons, type LinkStep } from './step-buttons.tsx';
import styles from './status.module.css';

const POLL_MS = 60_000;
const ALWAYS: readonly StatusAction[] = ['asset', 'loss', 'anomalies', 'route'];

function stepsOfTransformer({ id, name, code, from, to: last, dcus, master }: TransformerFacts): Partial<Record<StatusAction, LinkStep>> {
  const node = `transformer:${id}` as const;
  const place = { node, nodeName: name };
  const offline = dcus.find(({ onlineStatus }) => onlineStatus !== 'online');
  return {
    asset: { right: transformer.list, to: to.transformers({ search: code }), label: 'act_record' },
    loss: { right: loss.list, to: to.lineLoss({ ...place, from, to: last }) },
    anomalies: { right: anomaly.list, to: to.bills({ tab: 'anomalies', ...place, kind: 'custom', from, to: last }) },
    events: { right: event.list, to: to.events({ ...place, logs: 'fraud' }) },
    refill: { right: gap.refill, to: to.readings({ node, view: 'gaps', from, to: last }) },
    route: { right: topology.dcus, to: to.topology({ node }) },
    archives: { right: meter.list, to: to.meterAssets({ tab: 'search', ...place }) },
    ...(offline === undefined ? {} : { dcu: { right: dcu.list, to: to.status({ node: `dcu:${offline.id}` }) } }),
    ...(master === null ? {} : { readings: { right: meterStatus.get, to: to.status({ node: `meter:${master.meterId}` }) } }),
  };
}

const MeterLink = ({ meterId, sn }: { meterId: string; sn: string }) => (
  <Link to={to.status({ node: `meter:${meterId}` })}>
    <Sn sn={sn} />
  </Link>
);

const kwh = (value: number | null): string => (value === null ? '—' : `${figure(value, 1)} kWh`);

/** Supplied energy and its parts, in one bar and in figures. */
function LossPanel({ facts }: { facts: TransformerFacts }) {
  const t = useMessages(texts);
  const signs = lossSigns(useLossBounds());
  const { loss: row, from, to: last } = facts;
  const parts =
    row === null
      ? []
      : ([
          ['sold', row.sold, 'ok'],
          ['missingData', row.missing, 'wait'],
          ['suspected', row.suspectedKwh, 'red'],
          ['unmeteredPart', row.unmeteredKwh, 'orange'],
          ['unexplained', row.unexplainedKwh, 'amber'],
          ['technical', row.technicalKwh, 'violet'],
        ] as const);
  const round = (value: number | null) => Math.max(0, Math.round((value ?? 0) * 10) / 10);
  return (
    <Panel title={t('lossTitle')} note={`${from} – ${last}`}>
      {row === null ? (
        <p className={styles['muted']}>{t('notShown')}</p>
      ) : row.supply === null ? (
        <p className={styles['muted']}>{t('lossNone', { days: row.days })}</p>
      ) : (
        <>
          <StackBar
            height={12}
            label={t('lossTitle')}
            parts={parts.map(([key, value, tone]) => ({ label: t(key), value: round(value), tone }))}
          />
          <Properties
            items={[
              { label: t('supplied'), value: kwh(row.supply) },
              {
                label: t('lossRate'),
                value: <StateOf sign={signs[row.class]} extra={row.lossPercent === null ? '' : `· ${figure(row.lossPercent, 2)} %`} />,
              },
              ...parts.map(([key, value]) => ({ label: t(key), value: kwh(value) })),
            ]}
          />
        </>
      )}
    </Panel>
  );
}

/** The meters and devices that are the evidence for each part. */
function LossEvidence({ facts: { withoutData, suspects, unmetered } }: { facts: TransformerFacts }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <>
      <Rows
        title={t('suspected')}
        rows={suspects}
        empty={t('noSuspects')}
        rowKey={({ meterId, day }) => `${meterId}/${day}`}
        columns={[
          { title: t('meterSn'), width: '30%', cell: MeterLink },
          { title: t('dayOf'), width: '7.5em', cell: ({ day }) => day },
          { title: t('kindOf'), cell: ({ type }) => say(ANOMALY_TEXT[type]) },
          { title: t('insteadOf'), width: '26%', cell: ({ value, reference }) => `${figure(value, 1)} / ${figure(reference, 1)} kWh` },
        ]}
      />
      <Rows
        title={t('missingData')}
        rows={withoutData}
        empty={t('noMissingData')}
        rowKey={({ meterId }) => meterId}
        columns={[
          { title: t('meterSn'), width: '40%', cell: MeterLink },
          { title: t('daysMissing'), width: '25%', cell: ({ days }) => days },
          { title: t('lastRead'), cell: ({ lastReadAt }) => (lastReadAt === null ? t('never') : shortTime(lastReadAt)) },
        ]}
      />
      <Rows
        title={t('unmeteredPart')}
        rows={unmetered}
        empty={t('noUnmetered')}
        rowKey={({ sn }) => sn}
        columns={[
          { title: t('meterSn'), width: '40%', cell: ({ sn }) => <Sn sn={sn} /> },
          { title: t('dcuSn'), width: '30%', cell: ({ dcuSn }) => (dcuSn === null ? '—' : <Sn sn={dcuSn} />) },
          { title: t('lastSeen'), cell: ({ lastSeenAt }) => (lastSeenAt === null ? '—' : shortTime(lastSeenAt)) },
        ]}
      />
    </>
  );
}

function Side({ facts }: { facts: TransformerFacts }) {
  const t = useMessages(texts);
  const when = useWhen(facts.at);
  const { master } = facts;
  return (
    <>
      <Panel title={t('identity')}>
        <Properties
          items={[
            { label: t('levelOf'), wide: true, value: facts.levelName },
            { label: t('addressOf'), wide: true, value: facts.address },
            { label: t('capacity'), wide: true, value: facts.capacityKva === null ? '—' : `${facts.capacityKva} kVA` },
            { label: t('masterMeter'), wide: true, value: master === null ? '—' : <MeterLink {...master} /> },
            ...(master === null ? [] : [{ label: t('lastRead'), wide: true, value: when(master.lastReadAt) }]),
            { label: t('metersOf'), wide: true, value: t('silentMeters', { silent: facts.silent, meters: facts.meters }) },
          ]}
        />
      </Panel>
      <Rows
        title={t('dcusOf')}
        rows={facts.dcus}
        empty={t('noDcus')}
        rowKey={({ id }) => id}
        columns={[
          {
            title: t('dcuSn'),
            width: '42%',
            cell: ({ id, sn }) => (
              <Link to={to.status({ node: `dcu:${id}` })}>
                <Sn sn={sn} />
              </Link>
            ),
          },
          { title: t('status'), width: '28%', cell: ({ onlineStatus }) => <StateOf sign={ONLINE[onlineStatus]} /> },
          { title: t('silentOf'), cell: ({ silent, meters }) => `${silent} / ${meters}` },
        ]}
      />
      <Rows
        title={t('byDay')}
        rows={facts.days}
        empty={t('lossNone', { days: 7 })}
        rowKey={({ day }) => day}
        columns={[
          { title: t('dayOf'), width: '30%', cell: ({ day }) => day },
          { title: t('supplied'), width: '30%', cell: ({ supply }) => kwh(supply) },
          { title: t('lossRate'), cell: ({ lossPercent }) => (lossPercent === null ? '—' : `${figure(lossPercent, 2)} %`) },
        ]}
      />
    </>
  );
}

function TransformerSheet({ facts }: { facts: TransformerFacts }) {
  const buttons = useLinkButtons(stepsOfTransformer(facts));
  const codes = causesOf(TRANSFORMER_CAUSES, facts);
  return (
    <>
      <StatusHead
        icon={<Zap size={22} aria-hidden="true" />}
        sn={facts.name}
        writtenAs="name"
        place={[facts.code, facts.levelName, facts.address]}
        health={healthOf(TRANSFORMER_CAUSES, codes)}
        states={null}
      >
        {buttons(ALWAYS)}
      </StatusHead>
      <CauseList table={TRANSFORMER_CAUSES} codes={codes} facts={facts} at={facts.at} buttons={buttons} />
      <div className={styles['columns']}>
        <div>
          <LossPanel facts={facts} />
          <LossEvidence facts={facts} />
        </div>
        <div>
          <Side facts={facts} />
        </div>
      </div>
    </>
  );
}

/** The status of one transformer, from one request. */
export function TransformerStatus({ id }: { id: string }) {
  const facts = useApiQuery(transformerStatus.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <PanelState query={facts} lines={12}>
      {(data) => <TransformerSheet facts={data} />}
    </PanelState>
  );
}
