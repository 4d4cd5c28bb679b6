import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import { donutSize, donutSvg } from './donut.ts';
import { districtOf, graticule, type LatLng } from '#widgets/map/geometry.ts';
import type { Place } from './use-summary.ts';
import styles from './map.module.css';

export interface MapHandle {
  zoom(by: number): void;
  fit(): void;
}

interface MapCanvasProps {
  /** What the whole network shows, which the map is fitted to. */
  whole: Place[];
  places: Place[];
  selected: string | undefined;
  k: number;
  ref: Ref<MapHandle>;
  onSelect: (transformerId: string | undefined) => void;
  /** west,south,east,north of what is seen, whenever that changes. */
  onView: (box: string) => void;
}

/** Degrees around a district's outermost transformers. */
const MARGIN = 0.006;
const PADDING_PX = { top: 64, side: 60, bottom: 74 };
const SCALE_PX = 110;
/** More of them would hide each other. */
const MOST_DISTRICTS = 24;
/** What is just beside the view is there when it is moved. */
const BESIDE = 0.25;
const CLOSER = 1.5;
const DECIMALS = 4;

const positionOf = (place: Place): LatLng => [place.latitude, place.longitude];
const boundsOf = (places: Place[]): L.LatLngBounds => L.latLngBounds(places.map(positionOf));

function drawGround(layer: L.LayerGroup, bounds: L.LatLngBounds): void {
  const wide = bounds.pad(3);
  const style = { className: styles['graticule'] ?? '', interactive: false, weight: 1 };
  for (const lat of graticule(wide.getSouth(), wide.getNorth()))
    L.polyline(
      [
        [lat, wide.getWest()],
        [lat, wide.getEast()],
      ],
      style,
    ).addTo(layer);
  for (const lng of graticule(wide.getWest(), wide.getEast()))
    L.polyline(
      [
        [wide.getSouth(), lng],
        [wide.getNorth(), lng],
      ],
      style,
    ).addTo(layer);
}

function drawDistricts(layer: L.LayerGroup, places: Place[]): void {
  const districts = Map.groupBy(places, (place) => place.levelName);
  if (districts.size > MOST_DISTRICTS) return;
  for (const [name, members] of districts) {
    if (name === null) continue;
    const hull = districtOf(members.map(positionOf), MARGIN);
    L.polygon(hull, { className: styles['district'] ?? '', interactive: false, weight: 1, smoothFactor: 0 }).addTo(layer);
    const top = hull.reduce((best, point) => (point[0] > best[0] ? point : best));
    const label = document.createElement('span');
    label.textContent = name;
    L.marker([top[0], members.reduce((sum, place) => sum + place.longitude, 0) / members.length], {
      icon: L.divIcon({ html: label, className: styles['districtName'] ?? '', iconSize: [0, 0] }),
      interactive: false,
      keyboard: false,
    }).addTo(layer);
  }
}

function drawPlaces(
  layer: L.LayerGroup,
  map: L.Map,
  { places, selected, k, onSelect }: Pick<MapCanvasProps, 'places' | 'selected' | 'k' | 'onSelect'>,
): void {
  const most = Math.max(...places.map((place) => place.meters));
  for (const place of places) {
    const size = Math.round(donutSize(place.meters, most) * k);
    const chosen = place.transformerId !== null && place.transformerId === selected;
    const name = place.transformers === 1 ? place.name : `${place.name} … (${place.transformers})`;
    const icon = L.divIcon({
      html: donutSvg(place, size),
      className: `${styles['donut']} ${chosen ? styles['chosen'] : ''}`,
      iconSize: [size, size],
    });
    L.marker(positionOf(place), {
      icon,
      title: name,
      alt: `${name}: ${place.meters}`,
      riseOnHover: true,
      zIndexOffset: chosen ? 1000 : 0,
    })
      .on('click keypress', () => {
        if (place.transformerId === null) map.setView(positionOf(place), map.getZoom() + CLOSER);
        else onSelect(chosen ? undefined : place.transformerId);
      })
      .addTo(layer);
  }
}

/** Leaflet without tiles: a ground with graticule, districts around their transformers, donuts, a scale bar. */
export function MapCanvas({ whole, places, selected, k, ref, onSelect, onView }: MapCanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map>(undefined);
  const fit = (of: L.Map) =>
    of.fitBounds(boundsOf(whole), {
      paddingTopLeft: [PADDING_PX.side * k, PADDING_PX.top * k],
      paddingBottomRight: [PADDING_PX.side * k, PADDING_PX.bottom * k],
      animate: false,
    });

  useEffect(() => {
    if (!box.current) return undefined;
    const created = L.map(box.current, {
      zoomControl: false,
      attributionControl: false,
      zoomSnap: 0.25,
      zoomDelta: 0.5,
      wheelPxPerZoomLevel: 120,
    });
    L.control.scale({ imperial: false, position: 'bottomright', maxWidth: SCALE_PX }).addTo(created);
    map.current = created;
    fit(created);
    created.on('moveend', () => {
      const box = created.getBounds().pad(BESIDE);
      const within = (degrees: number, most: number) => Math.max(-most, Math.min(most, degrees)).toFixed(DECIMALS);
      onView([within(box.getWest(), 180), within(box.getSouth(), 90), within(box.getEast(), 180), within(box.getNorth(), 90)].join());
    });
    return () => {
      created.remove();
      map.current = undefined;
    };
    // The map is made once for a place of the page; what it shows follows below.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => {
    const shown = map.current;
    if (!shown) return undefined;
    const layer = L.layerGroup().addTo(shown);
    drawGround(layer, boundsOf(whole));
    drawDistricts(layer, places);
    drawPlaces(layer, shown, { places, selected, k, onSelect });
    return () => void layer.remove();
  }, [whole, places, selected, k, onSelect]);

  useImperativeHandle(ref, () => ({
    zoom: (by) => void map.current?.setZoom(map.current.getZoom() + by),
    fit: () => void (map.current && fit(map.current)),
  }));

  return <div ref={box} className={styles['map']} />;
}
