import { Maximize2, Minus, Plus, X } from 'lucide-react';
import { Suspense, useCallback, useRef, useState } from 'react';
import { Link } from 'react-router';
import { Meter } from '#shared/chart/bars.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { NeutralZone } from '#shared/theme/neutral-zone.tsx';
import { figure } from '#shared/time/number.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Glyph } from '#widgets/state-of/glyphs.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#widgets/state-of/tables.ts';
import { MapCanvas } from './late.tsx';
import type { MapHandle } from './map-canvas.tsx';
import { NodeFilter } from './node-filter.tsx';
import { Starter } from './starter.tsx';
import { texts } from './texts.ts';
import { useNode } from './use-cards.ts';
import { usePlaces, useSummary, type Place } from './use-summary.ts';
import styles from './map.module.css';

const ZOOM_STEP = 0.5;

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
        <Link to={`/assets/dcu?node=transformer:${place.transformerId}`}>{t('openDcus')}</Link>
        <Link to={`/meter/auto-meter-reading?node=transformer:${place.transformerId}`}>{t('openReadings')}</Link>
      </footer>
    </div>
  );
}

/** Where the transformers stand and how fresh their meters are. */
export function MapPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = usePlaces();
  const [box, setBox] = useState<string>();
  // As long as every transformer stands for itself, what is there shows every view.
  const isTogether = query.data?.items.some(({ transformers }) => transformers > 1) ?? false;
  const view = usePlaces(isTogether ? box : undefined);
  const handle = useRef<MapHandle>(null);
  const [selected, setSelected] = useState<string | undefined>();
  const select = useCallback((id: string | undefined) => setSelected(id), []);
  const summary = useSummary();
  const isNew = summary.data !== undefined && summary.data.transformers + summary.data.dcus.total + summary.data.meters.total === 0;
  const [{ node }] = useNode();
  const places = view.data?.items ?? query.data?.items ?? [];
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
            <NeutralZone>
              {(size, k) => (
                <Suspense>
                  <MapCanvas
                    key={`${size.width}x${size.height}`}
                    ref={handle}
                    whole={data.items}
                    places={places}
                    onView={setBox}
                    selected={selected}
                    k={k}
                    onSelect={select}
                  />
                </Suspense>
              )}
            </NeutralZone>
            <NodeFilter />
            <div className={styles['controls']}>
              <button type="button" aria-label={t('zoomIn')} onClick={() => handle.current?.zoom(ZOOM_STEP)}>
                <Plus size={16} aria-hidden="true" />
              </button>
              <button type="button" aria-label={t('zoomOut')} onClick={() => handle.current?.zoom(-ZOOM_STEP)}>
                <Minus size={16} aria-hidden="true" />
              </button>
              <button type="button" aria-label={t('fit')} onClick={() => handle.current?.fit()}>
                <Maximize2 size={14} aria-hidden="true" />
              </button>
            </div>
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
