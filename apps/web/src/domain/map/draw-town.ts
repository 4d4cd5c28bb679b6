import L from 'leaflet';
import styles from './place-map.module.css';
import { RIVER_M, type Town } from './town.ts';

const PANE = 'town';
/** Above the districts, which are polygons of the library's own pane (400), and below markers (600). */
const PANE_INDEX = '410';
/** Metres of a pixel at zoom 0 on the equator. */
const METRES_PER_PIXEL = 156_543.034;
/** In a wider view, streets of a quarter are a grey area. */
const STREETS_FROM_ZOOM = 12.5;
const STREET_M = 12;
const ROAD_M = 34;
const THINNEST = { street: 0.7, road: 2, river: 3 };
const CASE_PX = 2;

/** Draws the streets, river and parks of a town below its places, in widths that follow the zoom. Returns the function that removes them. */
export function drawTown(map: L.Map, town: Town): () => void {
  const pane = map.getPane(PANE) ?? map.createPane(PANE);
  pane.style.zIndex = PANE_INDEX;
  pane.style.pointerEvents = 'none';
  const layer = L.layerGroup().addTo(map);
  const options = (name: string) => ({ pane: PANE, className: styles[name] ?? '', interactive: false, smoothFactor: 0.5 });
  const lines = (of: Town['streets'], name: string) => L.polyline(of, options(name)).addTo(layer);
  L.polygon(town.parks, { ...options('park'), stroke: false }).addTo(layer);
  const streets = lines(town.streets, 'street');
  const river = lines([town.river], 'river');
  const roadCases = lines(town.mainRoads, 'roadCase');
  const roads = lines(town.mainRoads, 'road');
  const [[latitude] = [0]] = town.river;
  const dress = () => {
    const zoom = map.getZoom();
    const pixels = (metres: number, least: number) =>
      Math.max(least, (metres * 2 ** zoom) / (METRES_PER_PIXEL * Math.cos((latitude * Math.PI) / 180)));
    streets.setStyle({ weight: pixels(STREET_M, THINNEST.street), opacity: zoom < STREETS_FROM_ZOOM ? 0 : 1 });
    river.setStyle({ weight: pixels(RIVER_M, THINNEST.river) });
    roadCases.setStyle({ weight: pixels(ROAD_M, THINNEST.road) + CASE_PX });
    roads.setStyle({ weight: pixels(ROAD_M, THINNEST.road) });
  };
  dress();
  map.on('zoomend', dress);
  return () => {
    map.off('zoomend', dress);
    layer.remove();
  };
}
