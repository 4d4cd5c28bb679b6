import type { TopologyNode } from '@hes/contract/network/topology.ts';
import type { SignalStrength } from '@hes/contract/states/signal.ts';
import type { Layout, Place } from './layout.ts';
import { SIGNAL_COLOUR, SIGNALS } from '#widgets/topology/signs.ts';

export interface View {
  scale: number;
  x: number;
  y: number;
}

export interface Scene {
  layout: Layout;
  nodes: readonly TopologyNode[];
  /** Address of the module → the node it hangs on. */
  shown: ReadonlySet<string>;
  route: ReadonlySet<string>;
  selected: string | undefined;
  ringLabel: (level: number, count: number) => string;
}

const RADIUS = { cco: 17, pco: 6.5, sta: 4.6 } as const;

function shape(to: CanvasRenderingContext2D, role: TopologyNode['role'], { x, y }: Place, radius: number): void {
  if (role === 'sta') {
    to.moveTo(x + radius, y);
    to.arc(x, y, radius, 0, Math.PI * 2);
    return;
  }
  if (role === 'pco') {
    to.moveTo(x, y - radius);
    to.lineTo(x + radius, y + radius * 0.8);
    to.lineTo(x - radius, y + radius * 0.8);
    to.closePath();
    return;
  }
  to.moveTo(x, y - radius);
  to.lineTo(x + radius, y);
  to.lineTo(x, y + radius);
  to.lineTo(x - radius, y);
  to.closePath();
}

export const colourReader = (element: Element) => {
  const style = getComputedStyle(element);
  return (name: string): string => style.getPropertyValue(name).trim();
};

/** Draws everything in a few strokes: one path per colour and kind, whatever the number of stations. */
export function paint(
  to: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  size: { width: number; height: number },
  ratio: number,
  colour: (name: string) => string,
): void {
  const { layout, nodes, shown, route, selected } = scene;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.clearRect(0, 0, size.width, size.height);
  const at = ({ x, y }: Place): Place => ({ x: x * view.scale + view.x, y: y * view.scale + view.y });
  const root = at(layout.root);
  to.lineWidth = 1;
  to.setLineDash([2, 4]);
  to.strokeStyle = colour('--line2');
  for (const ring of layout.rings) {
    to.beginPath();
    to.arc(root.x, root.y, ring.radius * view.scale, 0, Math.PI * 2);
    to.stroke();
  }
  const placeOf = new Map<string, Place>();
  for (const node of nodes) {
    const place = layout.places.get(node.mac);
    if (place) placeOf.set(node.mac, at(place));
  }
  const parentPlace = (node: TopologyNode): Place => (node.parentMac === null ? root : (placeOf.get(node.parentMac) ?? root));
  const edge = (node: TopologyNode, place: Place): void => {
    const parent = parentPlace(node);
    to.moveTo(parent.x, parent.y);
    to.lineTo(place.x, place.y);
  };
  const bySignal = Map.groupBy(nodes, (node) => node.signal);
  const passes: [SignalStrength, 'plc' | 'rf', boolean][] = SIGNALS.flatMap((signal) =>
    (['plc', 'rf'] as const).flatMap((link): [SignalStrength, 'plc' | 'rf', boolean][] => [
      [signal, link, false],
      [signal, link, true],
    ]),
  );
  for (const [signal, link, isShown] of passes) {
    to.beginPath();
    for (const node of bySignal.get(signal) ?? []) {
      const place = placeOf.get(node.mac);
      if (place && node.isOnline && node.link === link && shown.has(node.mac) === isShown) edge(node, place);
    }
    to.setLineDash(link === 'rf' ? [5, 4] : []);
    to.globalAlpha = isShown ? 0.55 : 0.1;
    to.strokeStyle = colour(SIGNAL_COLOUR[signal]);
    to.stroke();
  }
  to.setLineDash([]);
  to.globalAlpha = 1;
  if (route.size > 0) {
    to.beginPath();
    for (const node of nodes) {
      const place = placeOf.get(node.mac);
      if (place && route.has(node.mac)) edge(node, place);
    }
    to.lineWidth = 3;
    to.strokeStyle = colour('--primary');
    to.stroke();
    to.lineWidth = 1;
  }
  const zoomed = Math.min(1.7, Math.max(0.75, Math.sqrt(view.scale)));
  for (const signal of SIGNALS)
    for (const isShown of [false, true]) {
      to.beginPath();
      for (const node of bySignal.get(signal) ?? []) {
        const place = placeOf.get(node.mac);
        if (place && shown.has(node.mac) === isShown) shape(to, node.role, place, RADIUS[node.role] * zoomed);
      }
      to.globalAlpha = isShown ? 1 : 0.14;
      if (signal === 'no_signal') {
        to.fillStyle = colour('--panel');
        to.fill();
        to.strokeStyle = colour('--none-solid');
        to.setLineDash([2, 2]);
        to.stroke();
        to.setLineDash([]);
      } else {
        to.fillStyle = colour(SIGNAL_COLOUR[signal]);
        to.fill();
      }
    }
  to.globalAlpha = 1;
  // Not heard by the head-end for long, whatever its network says.
  to.beginPath();
  for (const node of nodes) {
    const place = placeOf.get(node.mac);
    if (!place || node.freshness !== 'over72' || !shown.has(node.mac)) continue;
    to.moveTo(place.x + 9 * zoomed, place.y);
    to.arc(place.x, place.y, 9 * zoomed, 0, Math.PI * 2);
  }
  to.strokeStyle = colour('--red-solid');
  to.lineWidth = 1.5;
  to.stroke();
  to.beginPath();
  shape(to, 'cco', root, RADIUS.cco);
  to.fillStyle = colour('--hdr');
  to.fill();
  to.strokeStyle = colour('--volt');
  to.lineWidth = 2;
  to.stroke();
  to.font = '600 11px "IBM Plex Sans", sans-serif';
  to.textAlign = 'center';
  to.textBaseline = 'middle';
  for (const ring of layout.rings) {
    const label = scene.ringLabel(ring.level, ring.count);
    const y = root.y - ring.radius * view.scale;
    const width = to.measureText(label).width + 18;
    to.beginPath();
    to.roundRect(root.x - width / 2, y - 10, width, 20, 10);
    to.fillStyle = colour('--panel');
    to.fill();
    to.strokeStyle = colour('--line2');
    to.lineWidth = 1;
    to.stroke();
    to.fillStyle = colour('--t2');
    to.fillText(label, root.x, y);
  }
  const chosen = selected === undefined ? undefined : placeOf.get(selected);
  const node = nodes.find((one) => one.mac === selected);
  if (!chosen || !node) return;
  to.beginPath();
  to.arc(chosen.x, chosen.y, 11 * zoomed, 0, Math.PI * 2);
  to.strokeStyle = colour('--primary');
  to.lineWidth = 2.5;
  to.stroke();
  to.font = '600 12px "IBM Plex Mono", monospace';
  const width = to.measureText(node.sn).width + 20;
  to.beginPath();
  to.roundRect(chosen.x - width / 2, chosen.y - 42, width, 24, 4);
  to.fillStyle = colour('--hdr');
  to.fill();
  to.fillStyle = colour('--hdrT');
  to.fillText(node.sn, chosen.x, chosen.y - 30);
}
