import { reasonText } from '@hes/contract/core/outcome.ts';
import { NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { nearStations } from '@hes/contract/network/near-stations.ts';
import { topology, type TopologyNode, type TopologyPicture } from '@hes/contract/network/topology.ts';
import { App, Button, Dropdown, Input, Segmented, Select } from 'antd';
import { Download, List, ListTree, Map as MapIcon, Network, RotateCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { STATION_LINK_TEXT } from '@hes/contract/states/topology.ts';
import { PAGE_WORDS, type PageWords } from '@hes/contract/page/links.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { useUrl } from '#core/url/use-url.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import { figure, grouped } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#domain/states/tables.ts';
import { DcuPicker } from '#domain/topology/dcu-picker.tsx';
import { saveCsv, saveGraphml, savePng, saveWorkList, weakOf, type Words } from './files.ts';
import { Inspector } from './inspector.tsx';
import { mapLayout, radialLayout, routeOf, type Form } from './layout.ts';
import { texts } from './messages.ts';
import { NetworkCanvas } from './network-canvas.tsx';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { SIGNALS } from '#domain/topology/signs.ts';
import { TimeBar } from './time-bar.tsx';
import { treeLayout } from './tree-layout.ts';
import { TreeList } from './tree-list.tsx';
import styles from './topology.module.css';

const FORM_KEY = 'hes.topology.form';
const FORMS: readonly Form[] = ['map', 'tree', 'network', 'list'];
/** Number of neighbours linked to the selected station by dotted lines, the same as in its pane. */
const NEAR_SHOWN = 8;
const NO_STATIONS: ReadonlySet<string> = new Set();
const PHASES = ['a', 'b', 'c', 'abc'] as const;
const POLL_MS = 60_000;
const READING_POLL_MS = 3000;

type Url = PageWords<'topology'>;

const isShown = (node: TopologyNode, url: Url): boolean =>
  (url.signal === undefined || node.signal === url.signal) &&
  (url.phase === undefined || node.phase === url.phase) &&
  (url.link === undefined || node.link === url.link) &&
  (url.fresh === undefined || node.freshness === url.fresh) &&
  node.level >= Number(url.level ?? 0);

/** The routes of meters, the quality of the links, and the stations behind a weak relay. */
export default function NetworkTopology() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.topology);
  useTopic(url.dcu === undefined ? undefined : `topology:${url.dcu}`);
  const picture = useApiQuery(topology.get, {
    params: { dcuId: url.dcu ?? '0' },
    query: { at: url.at },
    enabled: url.dcu !== undefined,
    // A network is stored before its reading ends, and no live message announces the end.
    refetchMs: (read) => (read && read.activeTaskId !== null ? READING_POLL_MS : POLL_MS),
    keep: true,
  });
  const selected = picture.data?.nodes.find((node) => node.mac === url.sel);
  return (
    <div className={styles['page']} data-paper="as-drawn" data-pane={selected ? 'open' : undefined}>
      <h1 className="visually-hidden">{t('title')}</h1>
      <DcuPicker
        selected={url.dcu}
        node={url.node}
        onSelect={({ dcuId }) => setUrl({ dcu: dcuId, sel: undefined, at: undefined, from: undefined })}
      />
      {url.dcu === undefined ? (
        <Panel label={t('title')} className={styles['main']}>
          <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
        </Panel>
      ) : (
        <PanelState query={picture} lines={12}>
          {(data) => <Main picture={data} url={url} setUrl={setUrl} />}
        </PanelState>
      )}
      {picture.data && selected ? <Inspector picture={picture.data} node={selected} onSelect={(sel) => setUrl({ sel })} /> : null}
    </div>
  );
}

interface MainProps {
  picture: TopologyPicture;
  url: Url;
  setUrl: (change: Partial<Url>) => void;
}

function Main({ picture, url, setUrl }: MainProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { nodes } = picture;
  const lacking = reasonText(picture.lacks);
  const stored = localStorage.getItem(FORM_KEY);
  const form = FORMS.find((known) => known === (url.form ?? stored)) ?? 'network';
  const byMac = useMemo(() => new Map(nodes.map((node) => [node.mac, node])), [nodes]);
  const shown = useMemo(() => new Set(nodes.filter((node) => isShown(node, url)).map((node) => node.mac)), [nodes, url]);
  const route = useMemo(() => new Set(url.sel === undefined ? [] : routeOf(byMac, url.sel).map((node) => node.mac)), [byMac, url.sel]);
  const chosen = url.sel === undefined ? undefined : byMac.get(url.sel);
  const near = useMemo(
    () =>
      chosen === undefined
        ? NO_STATIONS
        : new Set(
            nearStations(nodes, chosen)
              .slice(0, NEAR_SHOWN)
              .flatMap(({ mac }) => (route.has(mac) ? [] : [mac])),
          ),
    [nodes, chosen, route],
  );
  const { longitude, latitude } = picture;
  const opened = form === 'tree' ? route : NO_STATIONS;
  const layout = useMemo(() => {
    if (form === 'tree') return treeLayout(nodes, opened);
    const centre = longitude === null || latitude === null ? undefined : { longitude, latitude };
    return form === 'map' ? mapLayout(nodes, centre) : radialLayout(nodes);
  }, [form, nodes, opened, longitude, latitude]);
  const [found, setFound] = useState<{ mac: string }>();
  const unplaced = form === 'map' ? nodes.filter((node) => !layout.places.has(node.mac)) : [];
  const select = (sel: string | undefined) => setUrl({ sel });
  const selectSn = (sn: string) => select(nodes.find((node) => node.sn === sn)?.mac);
  const find = (mac: string) => {
    setFound({ mac });
    select(mac);
  };
  const setForm = (next: Form) => {
    localStorage.setItem(FORM_KEY, next);
    setUrl({ form: next });
  };
  return (
    <div className={styles['main']}>
      <Head picture={picture} form={form} onForm={setForm} onFind={find} isPast={url.at !== undefined} />
      <Panel label={t(form)} className={styles['stage']} flush>
        {nodes.length === 0 ? (
          <Empty text={t('noSn')} hint={lacking ? say(lacking) : t('noneHint')} />
        ) : form === 'list' ? (
          <TreeList sn={picture.sn} nodes={nodes} shown={shown} route={route} selected={url.sel} onSelect={select} />
        ) : (
          <>
            <NetworkCanvas
              label={t('canvas', { sn: picture.sn, count: nodes.length })}
              nodes={nodes}
              layout={layout}
              shown={shown}
              route={route}
              near={near}
              selected={url.sel}
              found={found?.mac === url.sel ? found : undefined}
              onSelect={select}
            />
            {unplaced.length > 0 ? (
              <div className={styles['unplaced']}>
                <h3>{t('unplaced')}</h3>
                {unplaced.slice(0, 20).map((node) => (
                  <button key={node.mac} type="button" onClick={() => select(node.mac)}>
                    <Sn sn={node.sn} />
                  </button>
                ))}
              </div>
            ) : null}
          </>
        )}
        {nodes.length > 0 ? <Legend nodes={nodes} url={url} setUrl={setUrl} isFloating={form !== 'list'} /> : null}
      </Panel>
      <TimeBar
        dcuId={picture.dcuId}
        at={url.at}
        from={url.from}
        onAt={(at) => setUrl({ at })}
        onFrom={(from) => setUrl({ from })}
        onSelectSn={selectSn}
      />
    </div>
  );
}

interface HeadProps {
  picture: TopologyPicture;
  form: Form;
  onForm: (form: Form) => void;
  onFind: (mac: string) => void;
  isPast: boolean;
}

/** Number of online stations per hop, the nearest first. */
function levelsOf(nodes: readonly TopologyNode[]): number[] {
  const perLevel = Map.groupBy(
    nodes.filter((node) => node.isOnline),
    (node) => node.level,
  );
  return Array.from({ length: Math.max(0, ...perLevel.keys()) }, (_, at) => perLevel.get(at + 1)?.length ?? 0);
}

const SAVE: Readonly<Record<string, (picture: TopologyPicture, words: Words) => void>> = {
  CSV: saveCsv,
  PNG: savePng,
  GraphML: saveGraphml,
  weak: saveWorkList,
};
const ICONS = { map: MapIcon, tree: ListTree, network: Network, list: List };

function Head({ picture, form, onForm, onFind, isPast }: HeadProps) {
  const t = useMessages(texts);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  const may = useMay();
  const { message } = App.useApp();
  const refresh = useApiMutation(topology.refresh, { failure: (error) => void message.error(error.message, 0) });
  const { stats } = picture;
  const isReading = picture.activeTaskId !== null;
  const obstacle = reasonText(picture.lacks) ?? (picture.onlineStatus === 'online' ? undefined : NOT_ONLINE_TEXT[picture.onlineStatus]);
  const find = (text: string) => {
    const wanted = text.replaceAll(/\s/g, '').toUpperCase();
    const found = wanted === '' ? undefined : picture.nodes.find((node) => node.sn.includes(wanted) || node.mac === wanted);
    if (found) onFind(found.mac);
    else if (wanted !== '') void message.info(t('notFound'));
  };
  const figures: [string, string][] = [
    [t('online'), `${figure(stats.online)} / ${figure(stats.total)}`],
    [t('meanLevel'), stats.meanLevel === null ? '—' : figure(stats.meanLevel, 1)],
    [t('maxLevel'), figure(stats.maxLevel)],
    [t('success'), stats.successPct === null ? '—' : `${figure(stats.successPct, 1)} %`],
    [t('changes'), figure(stats.parentChanges24h)],
    [
      t('byHop'),
      levelsOf(picture.nodes)
        .map((count) => figure(count))
        .join(' · ') || '—',
    ],
  ];
  return (
    <Panel label={t('title')} className={styles['head']}>
      <div className={styles['headLine']}>
        <Segmented
          aria-label={t('form')}
          value={form}
          onChange={onForm}
          options={FORMS.map((value) => {
            const Icon = ICONS[value];
            // The list shows the same as the three drawings, as text.
            const label = value === 'list' ? <span className="visually-hidden">{t(value)}</span> : t(value);
            return { value, label, title: t(value), icon: <Icon size={14} aria-hidden="true" /> };
          })}
        />
        <h2 className="mono">{grouped(picture.sn)}</h2>
        <small>
          {[picture.transformerName, picture.takenAt === null ? undefined : t('refreshed', { time: dateTime(picture.takenAt) })]
            .filter(Boolean)
            .join(' · ')}
        </small>
        <Input.Search allowClear className={styles['find'] ?? ''} placeholder={t('findSn')} aria-label={t('findSn')} onSearch={find} />
        <Dropdown
          trigger={['click']}
          menu={{
            items: [
              ...['CSV', 'PNG', 'GraphML'].map((key) => ({ key, label: key, disabled: key === 'PNG' && form === 'list' })),
              { key: 'weak', label: t('weak', { count: weakOf(picture.nodes).length }), disabled: weakOf(picture.nodes).length === 0 },
            ],
            onClick: ({ key }) => SAVE[key]?.(picture, { t, say, locale }),
          }}
        >
          <Button icon={<Download size={15} aria-hidden="true" />}>{t('export')}</Button>
        </Dropdown>
        {may(topology.refresh) ? (
          <Button
            type="primary"
            icon={<RotateCw size={15} aria-hidden="true" />}
            loading={refresh.isPending || isReading}
            disabled={obstacle !== undefined || isPast}
            title={obstacle && say(obstacle)}
            onClick={() => refresh.mutate({ params: { dcuId: picture.dcuId } })}
          >
            {isReading ? t('reading') : t('refreshDcu')}
          </Button>
        ) : null}
      </div>
      <dl className={styles['figures']}>
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

/** The legend is also the filter: it shows counts and dims the other stations. */
function Legend({
  nodes,
  url,
  setUrl,
  isFloating,
}: {
  nodes: readonly TopologyNode[];
  url: Url;
  setUrl: MainProps['setUrl'];
  isFloating: boolean;
}) {
  const t = useMessages(texts);
  const say = useSay();
  const deepest = Math.max(1, ...nodes.map((node) => node.level));
  const select = (key: 'phase' | 'link' | 'level' | 'fresh', label: string, options: { value: string; label: string }[]) => (
    <Select
      allowClear
      size="small"
      placeholder={label}
      aria-label={label}
      value={url[key] ?? null}
      options={options}
      onChange={(value: string | null) => setUrl({ [key]: value ?? undefined })}
    />
  );
  return (
    <div className={styles['legend']} data-floating={isFloating} role="group" aria-label={t('signal')}>
      {SIGNALS.map((signal) => (
        <button
          key={signal}
          type="button"
          aria-pressed={url.signal === signal}
          aria-label={say(SIGNAL_TEXT[signal])}
          onClick={() => setUrl({ signal: url.signal === signal ? undefined : signal })}
        >
          <SignalBars signal={signal} />
          <b>{figure(nodes.filter((node) => node.signal === signal).length)}</b>
        </button>
      ))}
      <div className={styles['filters']}>
        {select(
          'phase',
          t('phase'),
          PHASES.map((value) => ({ value, label: t(value) })),
        )}
        {select(
          'link',
          t('link'),
          (['plc', 'rf'] as const).map((value) => ({ value, label: say(STATION_LINK_TEXT[value]) })),
        )}
        {select(
          'level',
          t('levelFrom'),
          Array.from({ length: deepest }, (_, at) => ({ value: String(at + 1), label: `≥ ${at + 1}` })),
        )}
        {select(
          'fresh',
          t('freshness'),
          FRESHNESS_ORDER.map((value) => ({ value, label: say(FRESHNESS[value].text) })),
        )}
      </div>
      {isFloating ? <p>{t('key')}</p> : null}
    </div>
  );
}
