import L from 'leaflet';
import { districtOf, graticule, spotsOf, type LatLng, type Spot } from './geometry.ts';
import styles from './place-map.module.css';

export interface Position {
  longitude: number;
  latitude: number;
}

/** A marker for one place, or for several that are too close to be distinguished. */
export interface Dot extends Position {
  id: string | null;
  label: string;
  /** Diameter in design pixels. */
  size: number;
  /** Inner HTML: only numbers and constant texts, never user input, which would not be escaped. */
  face: string;
}

/** An area that contains several places. */
export interface District {
  name: string;
  places: readonly Position[];
}

export const latLngOf = ({ latitude, longitude }: Position): LatLng => [latitude, longitude];
export const boundsOf = (places: readonly Position[]): L.LatLngBounds => L.latLngBounds(places.map(latLngOf));

/** Margin around the view, as a share of it: a short pan needs no redraw. */
const VIEW_MARGIN = 0.25;
const MAX_LATITUDE = 85;
/** Margin around the outermost places of a district, in degrees. */
const MARGIN = 0.006;
/** More districts would hide each other. */
const MAX_DISTRICTS = 24;
/** Time budget in a frame of 16 ms; the browser needs the rest. */
const FRAME_BUDGET_MS = 6;

/** The step suits a view twice as wide, so that only a few lines cross the visible part. */
const linesOf = (from: number, to: number) => {
  const wider = (to - from) * 2;
  return graticule(from - wider, to + wider).filter((line) => line >= from && line <= to);
};

export function drawGround(layer: L.LayerGroup, map: L.Map): void {
  const wide = map.getBounds().pad(VIEW_MARGIN);
  const [south, north] = [Math.max(-MAX_LATITUDE, wide.getSouth()), Math.min(MAX_LATITUDE, wide.getNorth())];
  const along = linesOf(south, north).map((lat): LatLng[] => [
    [lat, wide.getWest()],
    [lat, wide.getEast()],
  ]);
  const across = linesOf(wide.getWest(), wide.getEast()).map((lng): LatLng[] => [
    [south, lng],
    [north, lng],
  ]);
  layer.clearLayers();
  L.polyline([...along, ...across], { className: styles['graticule'] ?? '', interactive: false, weight: 1 }).addTo(layer);
}

/** Gap between a district and its name. */
const NAME_GAP_PX = 4;
/** Gap between two names. */
const NAME_APART_PX = 12;

/** Candidate positions for the name of a district: above and below, centred or aligned with a side. */
function spotsAround(map: L.Map, bounds: L.LatLngBounds, width: number, height: number): Spot[] {
  const { x: left, y: top } = map.latLngToLayerPoint(bounds.getNorthWest());
  const { x: right, y: bottom } = map.latLngToLayerPoint(bounds.getSouthEast());
  const beside = height / 2 + NAME_GAP_PX;
  return [top - beside, bottom + beside].flatMap((y) => [(left + right) / 2, left + width / 2, right - width / 2].map((x) => ({ x, y })));
}

/** Places the names of districts between the markers that are drawn now; `sizes` are their diameters in pixels. */
export type PlaceNames = (dots: readonly (Position & { px: number })[]) => void;

/**
 * Draws districts with their names. The returned function places the names: one that would hide a marker or another name moves, or is left
 * out.
 */
export function drawDistricts(layer: L.LayerGroup, map: L.Map, districts: readonly District[]): PlaceNames {
  if (districts.length > MAX_DISTRICTS) return () => undefined;
  const named = districts.map(({ name, places }) => {
    const hull = districtOf(places.map(latLngOf), MARGIN);
    L.polygon(hull, { className: styles['district'] ?? '', interactive: false, weight: 1, smoothFactor: 0 }).addTo(layer);
    const text = document.createElement('span');
    text.textContent = name;
    const icon = L.divIcon({ html: text, className: styles['districtName'] ?? '', iconSize: [0, 0] });
    const bounds = L.latLngBounds(hull);
    const marker = L.marker(bounds.getCenter(), { icon, interactive: false, keyboard: false }).addTo(layer);
    // Measured while displayed: a hidden element has no size.
    const { offsetWidth: width, offsetHeight: height } = text;
    return { marker, text, width: width + NAME_APART_PX, height, bounds };
  });
  return (dots) => {
    const labels = named.map(({ width, height, bounds }) => ({ width, height, spots: spotsAround(map, bounds, width, height) }));
    const there = dots.map((dot) => ({
      ...map.latLngToLayerPoint(latLngOf(dot)),
      width: dot.px + NAME_GAP_PX,
      height: dot.px + NAME_GAP_PX,
    }));
    for (const [index, spot] of spotsOf(labels, there).entries()) {
      const { marker, text } = named[index] ?? {};
      if (text) text.hidden = spot === undefined;
      if (spot) marker?.setLatLng(map.layerPointToLatLng([spot.x, spot.y]));
    }
  };
}

/**
 * A marker positioned without `translate3d`, which gives each marker a compositing layer: 400 layers cost more time per frame than the
 * markers. The library has no public hook for it.
 */
const FlatMarker = L.Marker.extend({
  _setPos(this: L.Marker, pos: L.Point) {
    setPosition.call(this, pos);
    const icon = this.getElement();
    if (icon) icon.style.transform = `translate(${pos.x}px,${pos.y}px)`;
  },
}) as new (at: LatLng, options: L.MarkerOptions) => L.Marker; // as: `extend` forgets the type
const { _setPos: setPosition } = L.Marker.prototype as unknown as { _setPos(this: L.Marker, pos: L.Point): void }; // as: not in its types

interface DrawnDots {
  show(dots: readonly Dot[], how: { k: number; selected: string | undefined; isStill: boolean }): void;
  remove(): void;
}

/** Adds and removes markers within a time budget per frame; unchanged markers are kept. */
export function createDotLayer(map: L.Map, onPress: (dot: Dot, isChosen: boolean) => void): DrawnDots {
  const drawn = new Map<string, L.Marker>();
  let frame = 0;
  function toMarker(dot: Dot, k: number, isChosen: boolean, isStill: boolean): L.Marker {
    const size = Math.round(dot.size * k);
    const className = `${styles['dot']} ${isChosen ? styles['chosen'] : ''}`;
    return new FlatMarker(latLngOf(dot), {
      icon: L.divIcon({ html: dot.face, className, iconSize: [size, size] }),
      title: dot.label,
      riseOnHover: true,
      zIndexOffset: isChosen ? 1000 : 0,
      keyboard: !isStill,
      interactive: !isStill,
    }).on('click keypress', () => onPress(dot, isChosen));
  }
  return {
    show(dots, { k, selected, isStill }) {
      const wanted = new Map(dots.map((dot) => [JSON.stringify([dot, k, dot.id !== null && dot.id === selected]), dot]));
      const work: (() => void)[] = [];
      for (const [key, dot] of wanted)
        if (!drawn.has(key)) work.push(() => drawn.set(key, toMarker(dot, k, dot.id !== null && dot.id === selected, isStill).addTo(map)));
      for (const [key, marker] of drawn)
        if (!wanted.has(key))
          work.push(() => {
            marker.remove();
            drawn.delete(key);
          });
      cancelAnimationFrame(frame);
      let at = 0;
      const go = () => {
        const until = performance.now() + FRAME_BUDGET_MS;
        while (at < work.length && performance.now() < until) work[at++]?.();
        if (at < work.length) frame = requestAnimationFrame(go);
      };
      go();
    },
    remove() {
      cancelAnimationFrame(frame);
      for (const marker of drawn.values()) marker.remove();
    },
  };
}
