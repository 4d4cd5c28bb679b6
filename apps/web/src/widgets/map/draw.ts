import L from 'leaflet';
import { districtOf, graticule, type LatLng } from './geometry.ts';
import styles from './place-map.module.css';

export interface Position {
  longitude: number;
  latitude: number;
}

/** One dot: a place, or several that stand too close to be told apart. */
export interface Dot extends Position {
  id: string | null;
  label: string;
  /** Diameter in design pixels. */
  size: number;
  /** What is drawn inside: markup of numbers and words of our own, never of a person's. */
  face: string;
}

/** A ground that some places have in common. */
export interface District {
  name: string;
  places: readonly Position[];
}

export const latLngOf = ({ latitude, longitude }: Position): LatLng => [latitude, longitude];
export const boundsOf = (places: readonly Position[]): L.LatLngBounds => L.latLngBounds(places.map(latLngOf));

/** What a hand moves is there before it is drawn anew. */
const BESIDE = 0.25;
const MOST_NORTH = 85;
/** Degrees around a district's outermost places. */
const MARGIN = 0.006;
/** More of them would hide each other. */
const MOST_DISTRICTS = 24;
/** Of a frame of 16 ms; the rest is the browser's. */
const PART_OF_FRAME_MS = 6;

/** Steps are chosen for a wider view: a handful of lines cross the one that is seen. */
const linesOf = (from: number, to: number) => {
  const wider = (to - from) * 2;
  return graticule(from - wider, to + wider).filter((line) => line >= from && line <= to);
};

export function drawGround(layer: L.LayerGroup, map: L.Map): void {
  const wide = map.getBounds().pad(BESIDE);
  const [south, north] = [Math.max(-MOST_NORTH, wide.getSouth()), Math.min(MOST_NORTH, wide.getNorth())];
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

export function drawDistricts(layer: L.LayerGroup, districts: readonly District[]): void {
  if (districts.length > MOST_DISTRICTS) return;
  for (const { name, places } of districts) {
    const hull = districtOf(places.map(latLngOf), MARGIN);
    L.polygon(hull, { className: styles['district'] ?? '', interactive: false, weight: 1, smoothFactor: 0 }).addTo(layer);
    const top = hull.reduce((best, point) => (point[0] > best[0] ? point : best));
    const label = document.createElement('span');
    label.textContent = name;
    L.marker([top[0], places.reduce((sum, place) => sum + place.longitude, 0) / places.length], {
      icon: L.divIcon({ html: label, className: styles['districtName'] ?? '', iconSize: [0, 0] }),
      interactive: false,
      keyboard: false,
    }).addTo(layer);
  }
}

interface DrawnDots {
  show(dots: readonly Dot[], how: { k: number; selected: string | undefined; isStill: boolean }): void;
  remove(): void;
}

/** Dots that come and go a few a frame; what stays as it was is not touched. */
export function drawnDots(map: L.Map, onPress: (dot: Dot, isChosen: boolean) => void): DrawnDots {
  const drawn = new Map<string, L.Marker>();
  let frame = 0;
  function toMarker(dot: Dot, k: number, isChosen: boolean, isStill: boolean): L.Marker {
    const size = Math.round(dot.size * k);
    const className = `${styles['dot']} ${isChosen ? styles['chosen'] : ''}`;
    return L.marker(latLngOf(dot), {
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
        const until = performance.now() + PART_OF_FRAME_MS;
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
