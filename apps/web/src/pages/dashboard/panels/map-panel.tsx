import { to } from '@hes/contract/page/links.ts';
import { X } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Meter } from '#kit/chart/bars.tsx';
import { useMe } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState, Skeleton } from '#kit/basics/states.tsx';
import { clusterAt } from '#domain/map/cluster.ts';
import type { District, Dot } from '#domain/map/draw.ts';
import type { View } from '#domain/map/place-map.tsx';
import { townOf } from '#domain/map/town.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#domain/states/tables.ts';
import { donutSize, donutSvg } from './donut.ts';
import { PlaceMap } from '#pages/dashboard/late.tsx';
import { Choice } from '#pages/dashboard/choice.tsx';
import { Starter } from '#pages/dashboard/starter.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { useChoice } from '#pages/dashboard/use-cards.ts';
import { usePlaces, useSummary, type Place } from '#pages/dashboard/use-summary.ts';
import styles from './map.module.css';

const DECIMALS = 4;
const NO_PLACES: Place[] = [];

/** Several transformers as one marker: together, at their mean position, with all their meters. */
function joinPlaces(a: Place, b: Place): Place {
  const transformers = a.transformers + b.transformers;
  const mean = (of: (place: Place) => number) => (of(a) * a.transformers + of(b) * b.transformers) / transformers;
  return {
    ...a,
    transformerId: null,
    transformers,
    levelName: a.levelName === b.levelName ? a.levelName : null,
    longitude: mean(({ longitude }) => longitude),
    latitude: mean(({ latitude }) => latitude),
    meters: a.meters + b.meters,
    freshness: addCounts(a.freshness, b.freshness),
    dcuSns: [],
  };
}

const addCounts = (a: Place['freshness'], b: Place['freshness']): Place['freshness'] => {
  const sum = { ...a };
  for (const key of FRESHNESS_ORDER) sum[key] += b[key];
  return sum;
};

type Scale = Pick<View, 'zoom' | 'k'>;

function dotsOf(all: readonly Place[], shown: Scale | undefined): Dot[] {
  const most = all.reduce((found, place) => Math.max(found, place.meters), 0);
  const sizeOf = ({ meters }: Place) => donutSize(Math.min(meters, most), most) * (shown?.k ?? 1);
  const places = shown === undefined ? all : clusterAt(all, shown.zoom, { join: joinPlaces, sizeOf });
  return places.map((place) => {
    const size = donutSize(Math.min(place.meters, most), most);
    const name = place.transformers === 1 ? place.name : `${place.name} … (${place.transformers})`;
    const { transformerId: id, longitude, latitude } = place;
    return { id, longitude, latitude, size, label: `${name}: ${place.meters}`, face: donutSvg(place) };
  });
}

/** A cluster may contain transformers of several districts: without single places no district is drawn. */
const districtsOf = (places: readonly Place[]): District[] =>
  places.some(({ transformers }) => transformers > 1)
    ? []
    : [...Map.groupBy(places, (place) => place.levelName)].flatMap(([name, members]) => (name === null ? [] : { name, places: members }));

function PlaceCard({ place, onClose }: { place: Place; onClose: () => void }) {
  const t = useMessages(texts);
  return (
    <div className={styles['card']} role="dialog" aria-label={place.name}>
      <header>
        <h3>{place.name}</h3>
        <button type="button" aria-label={t('close')} onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </button>
      </header>
      <p>
        {place.levelName ?? '—'} · {t('dcuCount', { count: place.dcuSns.length })} · {t('meterCount', { count: place.meters })}
      </p>
      <ul>
        {FRESHNESS_ORDER.map((key) => (
          <li key={key}>
            <StateOf sign={FRESHNESS[key]} />
            <Meter value={place.freshness[key]} max={place.meters} tone={FRESHNESS[key].tone} label={String(place.freshness[key])} />
            <b data-value={place.freshness[key]}>{figure(place.freshness[key])}</b>
          </li>
        ))}
      </ul>
      <footer>
        <Link to={to.dcus({ node: `transformer:${place.transformerId}` })}>{t('openDcus')}</Link>
        <Link to={to.readings({ node: `transformer:${place.transformerId}` })}>{t('openReadings')}</Link>
      </footer>
    </div>
  );
}

/** Location of the transformers, and the freshness of their meters. */
export function MapPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = usePlaces();
  const [box, setBox] = useState<string>();
  // Without clusters the first response already contains all places for every zoom.
  const isTogether = query.data?.items.some(({ transformers }) => transformers > 1) ?? false;
  const view = usePlaces(isTogether ? box : undefined);
  const [scale, setScale] = useState<Scale>();
  const [selected, setSelected] = useState<string | undefined>();
  const summary = useSummary();
  const { data: me } = useMe();
  // An empty part of the network is normal; the first steps apply to a user with the whole network only.
  const isNew =
    me?.scope.kind === 'whole' &&
    summary.data !== undefined &&
    summary.data.transformers + summary.data.dcus.total + summary.data.meters.total === 0;
  const [{ node }] = useChoice();
  const places = view.data?.items ?? query.data?.items ?? NO_PLACES;
  const dots = useMemo(() => dotsOf(places, scale), [places, scale]);
  // Invented streets are shown for the invented town only.
  const isDemonstration = summary.data?.isDemonstration === true;
  const all = query.data?.items ?? NO_PLACES;
  const town = useMemo(
    () => (isDemonstration && !isTogether ? townOf(all.map((place) => ({ ...place, quarter: place.levelName ?? '' }))) : undefined),
    [isDemonstration, isTogether, all],
  );
  const districts = useMemo(() => districtsOf(places), [places]);
  const place = places.find((item) => item.transformerId === selected);
  return (
    <Panel flush label={t('map')} className={styles['panel']}>
      <PanelState
        query={query}
        lines={8}
        isEmpty={(data) => data.items.length === 0}
        empty={isNew && node === undefined ? <Starter /> : <Empty text={t('noPlaces')} />}
      >
        {(data) => (
          <>
            <Suspense fallback={<Skeleton lines={8} />}>
              <PlaceMap
                label={t('map')}
                extent={data.items}
                dots={dots}
                districts={districts}
                selected={selected}
                onSelect={setSelected}
                town={town}
                onView={({ bbox, zoom, k }) => {
                  setBox(bbox.map((degrees) => degrees.toFixed(DECIMALS)).join());
                  setScale((known) => (known?.zoom === zoom && known.k === k ? known : { zoom, k }));
                }}
              />
            </Suspense>
            <Choice />
            <ul className={styles['legend']} aria-label={t('mapLegend')}>
              {FRESHNESS_ORDER.map((key) => (
                <li key={key}>
                  <Glyph shape={FRESHNESS[key].shape} tone={FRESHNESS[key].tone} size={13} />
                  {say(FRESHNESS[key].text)}
                </li>
              ))}
            </ul>
            {place ? <PlaceCard place={place} onClose={() => setSelected(undefined)} /> : null}
          </>
        )}
      </PanelState>
    </Panel>
  );
}
