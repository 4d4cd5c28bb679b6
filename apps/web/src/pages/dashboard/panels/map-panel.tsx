import { to } from '@hes/contract/page/links.ts';
import { X } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Meter } from '#kit/chart/bars.tsx';
import { useMe } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { District, Dot } from '#domain/map/draw.ts';
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

function dotsOf(places: readonly Place[]): Dot[] {
  const most = places.reduce((found, place) => Math.max(found, place.meters), 0);
  return places.map((place) => {
    const size = donutSize(place.meters, most);
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
  const dots = useMemo(() => dotsOf(places), [places]);
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
            <Suspense>
              <PlaceMap
                label={t('map')}
                extent={data.items}
                dots={dots}
                districts={districts}
                selected={selected}
                onSelect={setSelected}
                onView={({ bbox }) => setBox(bbox.map((degrees) => degrees.toFixed(DECIMALS)).join())}
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
