import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { useEffect, useRef } from 'react';
import { graticule } from './geometry.ts';
import styles from './place-map.module.css';

/** One dot: a place, or how many stand too close to be told apart. */
export interface Dot {
  id: string | null;
  label: string;
  longitude: number;
  latitude: number;
  places: number;
  tone: 'ok' | 'amber' | 'none';
}

export interface View {
  /** west, south, east, north */
  bbox: [number, number, number, number];
  zoom: number;
}

interface Position {
  longitude: number;
  latitude: number;
}

interface PlaceMapProps {
  label: string;
  dots: Dot[];
  selected?: string | undefined;
  onSelect?: (id: string) => void;
  onView?: (view: View) => void;
  /** With it a press on the ground chooses a place. */
  onPick?: (at: Position) => void;
  picked?: Position | undefined;
}

const PADDING_PX = 48;
const START = { center: [20, 0] as [number, number], zoom: 2 };
const CLOSEST = 16;
const DOT_PX = 16;
const PIN_PX = 18;
/** Beyond the sixth decimal is a hand's breadth. */
const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
const sizeOf = (places: number) => (places === 1 ? DOT_PX : Math.min(44, 22 + Math.round(Math.log2(places) * 3)));

/** Steps are chosen for a wider view: a handful of lines cross the one that is seen. */
const linesOf = (from: number, to: number) => {
  const wider = (to - from) * 2;
  return graticule(from - wider, to + wider).filter((line) => line >= from && line <= to);
};

function drawGround(layer: L.LayerGroup, map: L.Map): void {
  const wide = map.getBounds().pad(0.2);
  const style = { className: styles['graticule'] ?? '', interactive: false, weight: 1 };
  for (const lat of linesOf(Math.max(-85, wide.getSouth()), Math.min(85, wide.getNorth())))
    L.polyline(
      [
        [lat, wide.getWest()],
        [lat, wide.getEast()],
      ],
      style,
    ).addTo(layer);
  for (const lng of linesOf(wide.getWest(), wide.getEast()))
    L.polyline(
      [
        [Math.max(-85, wide.getSouth()), lng],
        [Math.min(85, wide.getNorth()), lng],
      ],
      style,
    ).addTo(layer);
}

function drawDots(
  layer: L.LayerGroup,
  map: L.Map,
  { dots, selected, isPicking, onSelect }: Pick<PlaceMapProps, 'dots' | 'selected' | 'onSelect'> & { isPicking: boolean },
): void {
  for (const dot of dots) {
    const size = sizeOf(dot.places);
    const chosen = dot.id !== null && dot.id === selected;
    const element = document.createElement('span');
    element.textContent = dot.places === 1 ? '' : String(dot.places);
    L.marker([dot.latitude, dot.longitude], {
      icon: L.divIcon({
        html: element,
        className: `${styles['dot']} ${styles[dot.tone]} ${chosen ? styles['chosen'] : ''}`,
        iconSize: [size, size],
      }),
      alt: dot.label,
      keyboard: !isPicking,
      interactive: !isPicking,
    })
      .bindTooltip(dot.label, { direction: 'top', offset: [0, -size / 2] })
      .on('click keypress', () => {
        if (dot.id !== null) onSelect?.(dot.id);
        else map.setView([dot.latitude, dot.longitude], map.getZoom() + 2);
      })
      .addTo(layer);
  }
}

/** Leaflet without tiles: graticule, dots, a scale bar; and a pin to be put down. */
export function PlaceMap(props: PlaceMapProps) {
  const { dots, selected } = props;
  const longitude = props.picked?.longitude;
  const latitude = props.picked?.latitude;
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const isFitted = useRef(false);

  useEffect(() => {
    if (!box.current) return undefined;
    const created = L.map(box.current, { attributionControl: false, zoomSnap: 0.5, worldCopyJump: false });
    L.control.scale({ imperial: false, position: 'bottomright' }).addTo(created);
    const start = latest.current.picked;
    if (start) created.setView([start.latitude, start.longitude], CLOSEST - 2);
    else created.setView(START.center, START.zoom);
    isFitted.current = start !== undefined;
    const ground = L.layerGroup().addTo(created);
    const redraw = () => {
      ground.clearLayers();
      drawGround(ground, created);
      const bounds = created.getBounds();
      latest.current.onView?.({
        bbox: [rounded(bounds.getWest()), rounded(bounds.getSouth()), rounded(bounds.getEast()), rounded(bounds.getNorth())],
        zoom: created.getZoom(),
      });
    };
    created.on('moveend', redraw);
    created.on('click', ({ latlng }) => {
      const { lat, lng } = latlng.wrap();
      latest.current.onPick?.({ latitude: rounded(lat), longitude: rounded(lng) });
    });
    redraw();
    map.current = created;
    return () => {
      created.remove();
      map.current = undefined;
    };
  }, []);

  useEffect(() => {
    const shown = map.current;
    if (!shown) return undefined;
    const layer = L.layerGroup().addTo(shown);
    // While a place is being picked, neighbours are to be looked at only: a press on one is a press on the ground.
    const isPicking = latest.current.onPick !== undefined;
    drawDots(layer, shown, { dots, selected, isPicking, onSelect: (id) => latest.current.onSelect?.(id) });
    if (!isFitted.current && dots.length > 0) {
      isFitted.current = true;
      const bounds = L.latLngBounds(dots.map((dot): [number, number] => [dot.latitude, dot.longitude]));
      shown.fitBounds(bounds, { padding: [PADDING_PX, PADDING_PX], maxZoom: CLOSEST, animate: false });
    }
    return () => void layer.remove();
  }, [dots, selected]);

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

  return (
    <div ref={box} role="application" aria-label={props.label} className={`${styles['map']} ${props.onPick ? styles['picking'] : ''}`} />
  );
}
