import type L from 'leaflet';

/**
 * Lets the wheel zoom the map only with Ctrl or Cmd, or once the map has the focus by a click or a key; otherwise the page scrolls.
 * `onRefused` is called for each turn of the wheel that the map leaves to the page.
 */
export function guardWheel(map: L.Map, onRefused: () => void): void {
  const box = map.getContainer();
  map.scrollWheelZoom.disable();
  // In the capture phase, before the library's own listener.
  box.addEventListener(
    'wheel',
    ({ ctrlKey, metaKey }) => {
      if (ctrlKey || metaKey || box.contains(document.activeElement)) map.scrollWheelZoom.enable();
      else {
        map.scrollWheelZoom.disable();
        onRefused();
      }
    },
    { capture: true, passive: true },
  );
}
