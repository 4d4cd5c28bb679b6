import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { Maximize2, Minus, Plus } from 'lucide-react';
import { useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { NeutralZone } from '#core/theme/neutral-zone.tsx';
import {
  boundsOf,
  drawDistricts,
  drawGround,
  createDotLayer,
  latLngOf,
  type District,
  type Dot,
  type PlaceNames,
  type Position,
} from './draw.ts';
import { drawTown } from './draw-town.ts';
import { texts } from './map.messages.ts';
import type { Town } from './town.ts';
import { guardWheel } from './wheel.ts';
import styles from './place-map.module.css';

export interface View {
  /** Bounds to load in degrees: west, south, east, north, with a margin around the view. */
  bbox: [number, number, number, number];
  zoom: number;
  /** Scale of design pixels. */
  k: number;
}

interface PlaceMapProps {
  label: string;
  dots: readonly Dot[];
  /** Streets below the places. */
  town?: Town | undefined;
  /** The initial view, which the reset button restores. */
  extent: readonly Position[];
  districts?: readonly District[];
  selected?: string | undefined;
  onSelect?: (id: string | undefined) => void;
  onView?: (view: View) => void;
  /** Set to let a click on the map choose a place. */
  onPick?: (at: Position) => void;
  picked?: Position | undefined;
}

interface Handle {
  zoom(by: number): void;
  fit(): void;
}

const HINT_MS = 1500;
const NO_DISTRICTS: readonly District[] = [];
const START = { center: [20, 0] as [number, number], zoom: 2 };
const CLOSEST = 16;
const CLOSER = 1.5;
const PIN_PX = 18;
const ZOOM_STEP = 0.5;
const PADDING_PX = { top: 64, side: 60, bottom: 74 };
const SCALE_PX = 110;
/** Maximum padding as a share of a low map. */
const MAX_PADDING = 0.2;
const VIEW_MARGIN = 0.25;
/** The sixth decimal of a degree is about 10 cm. */
const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
const within = (degrees: number, most: number) => rounded(Math.max(-most, Math.min(most, degrees)));

function fit(map: L.Map, extent: readonly Position[], k: number): void {
  if (extent.length === 0) return;
  const most = map.getSize().y * MAX_PADDING;
  const pad = (px: number) => Math.min(most, px * k);
  map.fitBounds(boundsOf(extent), {
    paddingTopLeft: [pad(PADDING_PX.side), pad(PADDING_PX.top)],
    paddingBottomRight: [pad(PADDING_PX.side), pad(PADDING_PX.bottom)],
    maxZoom: CLOSEST,
    animate: false,
  });
}

function viewOf(map: L.Map, k: number): View {
  const box = map.getBounds().pad(VIEW_MARGIN);
  return {
    bbox: [within(box.getWest(), 180), within(box.getSouth(), 90), within(box.getEast(), 180), within(box.getNorth(), 90)],
    zoom: map.getZoom(),
    k,
  };
}

function Drawing(props: PlaceMapProps & { width: number; height: number; k: number; ref: Ref<Handle>; onWheelRefused: () => void }) {
  const { dots, extent, districts = NO_DISTRICTS, selected, width, height, k, ref } = props;
  const longitude = props.picked?.longitude;
  const latitude = props.picked?.latitude;
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map>(undefined);
  const drawn = useRef<ReturnType<typeof createDotLayer>>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const placeNames = useRef<PlaceNames>(undefined);
  const setNames = (shown: readonly Dot[]) => placeNames.current?.(shown.map((dot) => ({ ...dot, px: dot.size * k })));
  const [zoom, setZoom] = useState(START.zoom);
  const isFitted = useRef(false);
  /** The view after the last fit; undefined once the user moved or zoomed. */
  const fittedView = useRef<View>(undefined);
  const fitNow = (shown: L.Map, places: readonly Position[]) => {
    fit(shown, places, k);
    fittedView.current = viewOf(shown, k);
  };

  useEffect(() => {
    if (!box.current) return undefined;
    const created = L.map(box.current, {
      zoomControl: false,
      attributionControl: false,
      // An animated marker gets its own compositing layer, and wheel events are ignored until the animation ends.
      zoomAnimation: false,
      zoomSnap: 0.25,
      zoomDelta: ZOOM_STEP,
      wheelPxPerZoomLevel: 120,
    });
    L.control.scale({ imperial: false, position: 'bottomright', maxWidth: SCALE_PX }).addTo(created);
    const { picked } = latest.current;
    if (picked) created.setView(latLngOf(picked), CLOSEST - 2);
    else created.setView(START.center, START.zoom);
    isFitted.current = picked !== undefined;
    const ground = L.layerGroup().addTo(created);
    drawGround(ground, created);
    created.on('moveend', () => {
      drawGround(ground, created);
      latest.current.onView?.(viewOf(created, latest.current.k));
      setZoom(created.getZoom());
    });
    created.on('click', ({ latlng }) => {
      const { lat, lng } = latlng.wrap();
      latest.current.onPick?.({ latitude: rounded(lat), longitude: rounded(lng) });
    });
    guardWheel(created, () => latest.current.onWheelRefused());
    drawn.current = createDotLayer(created, (dot, isChosen) => {
      if (dot.id === null) created.setView(latLngOf(dot), created.getZoom() + CLOSER);
      else latest.current.onSelect?.(isChosen ? undefined : dot.id);
    });
    map.current = created;
    return () => {
      drawn.current?.remove();
      created.remove();
      map.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (!map.current || isFitted.current || extent.length === 0) return;
    isFitted.current = true;
    fitNow(map.current, extent);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `fitNow` changes with `k` only
  }, [extent, k]);

  // The library measures its box once. A view that the user chose keeps its centre and zoom; a fitted one is fitted again.
  useEffect(() => {
    const shown = map.current;
    if (!shown) return;
    const wasFitted = JSON.stringify(viewOf(shown, fittedView.current?.k ?? k)) === JSON.stringify(fittedView.current);
    shown.invalidateSize({ animate: false });
    if (wasFitted) fitNow(shown, latest.current.extent);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `fitNow` changes with `k` only
  }, [width, height, k]);

  const { town } = props;
  useEffect(() => (map.current && town ? drawTown(map.current, town) : undefined), [town]);

  useEffect(() => {
    if (!map.current) return undefined;
    const layer = L.layerGroup().addTo(map.current);
    placeNames.current = drawDistricts(layer, map.current, districts);
    setNames(latest.current.dots);
    return () => {
      placeNames.current = undefined;
      layer.remove();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `setNames` changes with `k` only
  }, [districts]);

  // While a place is picked, markers of neighbours are inert: a click on one picks the place below it.
  const isStill = props.onPick !== undefined;
  useEffect(() => {
    drawn.current?.show(dots, { k, selected, isStill });
    setNames(dots);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `setNames` changes with `k` only
  }, [dots, k, selected, isStill, zoom]);

  useEffect(() => {
    const shown = map.current;
    if (!shown || longitude === undefined || latitude === undefined) return undefined;
    const pin = L.marker([latitude, longitude], {
      icon: L.divIcon({ html: '', className: styles['pin'] ?? '', iconSize: [PIN_PX, PIN_PX] }),
      interactive: false,
    }).addTo(shown);
    if (!shown.getBounds().contains([latitude, longitude])) shown.panTo([latitude, longitude]);
    return () => void pin.remove();
  }, [latitude, longitude]);

  useImperativeHandle(ref, () => ({
    zoom: (by) => void map.current?.setZoom(map.current.getZoom() + by),
    fit: () => map.current && fitNow(map.current, latest.current.extent),
  }));

  return (
    <div ref={box} role="application" aria-label={props.label} className={`${styles['map']} ${props.onPick ? styles['picking'] : ''}`} />
  );
}

/** A map of positions: Leaflet without tiles, but with graticule, districts, markers, a scale bar, and a pin to place. */
export function PlaceMap(props: PlaceMapProps) {
  const t = useMessages(texts);
  const handle = useRef<Handle>(null);
  const [isHinting, setHinting] = useState(0);
  useEffect(() => {
    if (isHinting === 0) return undefined;
    const timer = setTimeout(() => setHinting(0), HINT_MS);
    return () => clearTimeout(timer);
  }, [isHinting]);
  return (
    <>
      <NeutralZone>
        {(size, k) => <Drawing {...size} ref={handle} k={k} {...props} onWheelRefused={() => setHinting((count) => count + 1)} />}
      </NeutralZone>
      {isHinting > 0 ? (
        <p className={styles['hint']} role="status">
          {t('wheel')}
        </p>
      ) : null}
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
    </>
  );
}
