import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { SIGNAL_COLOUR, SIGNALS } from '#domain/topology/signs.ts';
import { sectorOf, type Layout, type Place } from './layout.ts';
import { paintColumnGround, paintLabels, paintMapGround, paintRingGround, paintScale } from './paint-ground.ts';
import type { Batch, Brush, Drawn, Line, Scene } from './scene.ts';

interface SceneParts {
  layout: Layout;
  nodes: readonly TopologyNode[];
  shown: ReadonlySet<string>;
  route: ReadonlySet<string>;
  near: ReadonlySet<string>;
  selected: string | undefined;
}

const RADIUS = { cco: 17, pco: 6.5, sta: 4.6 } as const;
const LATE_RADIUS = 9;
/** Margin outside the canvas within which objects are still drawn. */
const OVERHANG_PX = 20;

export function sceneOf({ layout, nodes, shown, route, near, selected }: SceneParts): Omit<Scene, 'ringLabel' | 'sectorLabel'> {
  const drawn = nodes.flatMap((node): Drawn[] => {
    const place = layout.places.get(node.mac);
    const parent = node.parentMac === null ? undefined : layout.places.get(node.parentMac);
    return place ? [{ node, place, parent: parent ?? layout.stems.get(sectorOf(node)) ?? layout.root }] : [];
  });
  const chosen = drawn.find(({ node }) => node.mac === selected);
  const onRoute = drawn.filter(({ node }) => route.has(node.mac));
  const stems = onRoute.flatMap(({ node, parent }): Line[] =>
    layout.stems.get(sectorOf(node)) === parent ? [{ place: parent, parent: layout.root }] : [],
  );
  const batches = [false, true].flatMap((isShown) =>
    SIGNALS.map((signal): Batch => {
      const stations = drawn.filter(({ node }) => node.signal === signal && shown.has(node.mac) === isShown);
      const linksOf = (link: 'plc' | 'rf') => stations.filter(({ node }) => node.isOnline && node.link === link);
      return { signal, isShown, stations, links: { plc: linksOf('plc'), rf: linksOf('rf') } };
    }),
  );
  return {
    layout,
    batches: batches.filter(({ stations }) => stations.length > 0),
    late: drawn.filter(({ node }) => node.freshness === 'over72' && shown.has(node.mac)),
    route: [...stems, ...onRoute],
    near: chosen === undefined ? [] : drawn.flatMap(({ node, place }) => (near.has(node.mac) ? [{ place, parent: chosen.place }] : [])),
    selected: chosen,
  };
}

export const colourReader = (element: Element) => {
  const style = getComputedStyle(element);
  return (name: string): string => style.getPropertyValue(name).trim();
};

function shape(to: CanvasRenderingContext2D, role: TopologyNode['role'], { x, y }: Place, radius: number): void {
  if (role === 'sta') {
    to.moveTo(x + radius, y);
    to.arc(x, y, radius, 0, Math.PI * 2);
    return;
  }
  to.moveTo(x, y - radius);
  if (role === 'cco') to.lineTo(x + radius, y);
  else to.lineTo(x + radius, y + radius * 0.8);
  to.lineTo(role === 'cco' ? x : x - radius, role === 'cco' ? y + radius : y + radius * 0.8);
  if (role === 'cco') to.lineTo(x - radius, y);
  to.closePath();
}

/** A link from a station to its parent. Between columns it is a curve with horizontal ends. */
function lineTo({ to, at }: Brush, kind: Layout['kind'], { place, parent }: Line): void {
  const [a, b] = [at(parent), at(place)];
  to.moveTo(a.x, a.y);
  if (kind === 'columns') to.bezierCurveTo((a.x + b.x) / 2, a.y, (a.x + b.x) / 2, b.y, b.x, b.y);
  else to.lineTo(b.x, b.y);
}

function paintLinks(brush: Brush, kind: Layout['kind'], { signal, isShown, links }: Batch): void {
  const { to, at, size, colour } = brush;
  to.lineWidth = 1;
  to.globalAlpha = isShown ? 0.55 : 0.1;
  to.strokeStyle = colour(SIGNAL_COLOUR[signal]);
  for (const [dash, list] of [
    [[], links.plc],
    [[5, 4], links.rf],
  ] as const) {
    if (list.length === 0) continue;
    to.beginPath();
    for (const line of list) {
      const [a, b] = [at(line.parent), at(line.place)];
      // Both ends are beyond the same edge: the link is not visible.
      if (
        (a.x < 0 && b.x < 0) ||
        (a.y < 0 && b.y < 0) ||
        (a.x > size.width && b.x > size.width) ||
        (a.y > size.height && b.y > size.height)
      )
        continue;
      lineTo(brush, kind, line);
    }
    to.setLineDash([...dash]);
    to.stroke();
  }
  to.setLineDash([]);
}

const isInSight = ({ x, y }: Place, { width, height }: Brush['size']): boolean =>
  x > -OVERHANG_PX && y > -OVERHANG_PX && x < width + OVERHANG_PX && y < height + OVERHANG_PX;

/** One bitmap per kind of station, copied for each station: faster than drawing outlines. */
function stampOf(
  role: TopologyNode['role'],
  radius: number,
  fill: string | undefined,
  line: string,
): { image: OffscreenCanvas; px: number } {
  const px = Math.ceil(radius * 2) + 4;
  const image = new OffscreenCanvas(px * devicePixelRatio, px * devicePixelRatio);
  // as: an offscreen canvas draws like any other, and gives a 2D context when it has no other one
  const to = image.getContext('2d') as unknown as CanvasRenderingContext2D;
  to.scale(devicePixelRatio, devicePixelRatio);
  to.beginPath();
  shape(to, role, { x: px / 2, y: px / 2 }, radius);
  if (fill !== undefined) to.fillStyle = fill;
  if (fill !== undefined) to.fill();
  to.strokeStyle = line;
  to.lineWidth = 1;
  to.setLineDash(fill === undefined ? [2, 2] : []);
  to.stroke();
  return { image, px };
}

function paintStations({ to, at, size, colour }: Brush, { signal, isShown, stations }: Batch, zoomed: number): void {
  to.globalAlpha = isShown ? 1 : 0.14;
  // An outline in the background colour separates stations that overlap.
  const line = colour(signal === 'no_signal' ? '--none-solid' : '--surface');
  const stamps = new Map<TopologyNode['role'], ReturnType<typeof stampOf>>();
  for (const { node, place } of stations) {
    const here = at(place);
    if (!isInSight(here, size)) continue;
    const stamp =
      stamps.get(node.role) ??
      stampOf(node.role, RADIUS[node.role] * zoomed, signal === 'no_signal' ? undefined : colour(SIGNAL_COLOUR[signal]), line);
    stamps.set(node.role, stamp);
    to.drawImage(stamp.image, here.x - stamp.px / 2, here.y - stamp.px / 2, stamp.px, stamp.px);
  }
  to.globalAlpha = 1;
}

function paintRoute(brush: Brush, kind: Layout['kind'], { route, near }: Scene): void {
  const { to, colour } = brush;
  to.beginPath();
  for (const line of near) lineTo(brush, 'rings', line);
  to.setLineDash([2, 4]);
  to.lineWidth = 1.25;
  to.strokeStyle = colour('--text-muted');
  to.stroke();
  to.setLineDash([]);
  to.beginPath();
  for (const line of route) lineTo(brush, kind, line);
  to.lineWidth = 3;
  to.strokeStyle = colour('--primary');
  to.stroke();
}

/** Marks stations without recent contact to the head-end, even if their network reports them online. */
function paintLate({ to, at, size, colour }: Brush, late: readonly Drawn[], zoomed: number): void {
  to.beginPath();
  for (const { place } of late) {
    const { x, y } = at(place);
    if (!isInSight({ x, y }, size)) continue;
    to.moveTo(x + LATE_RADIUS * zoomed, y);
    to.arc(x, y, LATE_RADIUS * zoomed, 0, Math.PI * 2);
  }
  to.strokeStyle = colour('--red-solid');
  to.lineWidth = 1.5;
  to.stroke();
}

function paintRoot({ to, at, colour }: Brush, root: Place): void {
  to.beginPath();
  shape(to, 'cco', at(root), RADIUS.cco);
  to.fillStyle = colour('--header');
  to.fill();
  to.strokeStyle = colour('--accent');
  to.lineWidth = 2;
  to.stroke();
}

function paintSelected({ to, at, colour }: Brush, { node, place }: Drawn, zoomed: number): void {
  const { x, y } = at(place);
  to.beginPath();
  to.arc(x, y, 11 * zoomed, 0, Math.PI * 2);
  to.strokeStyle = colour('--primary');
  to.lineWidth = 2.5;
  to.stroke();
  to.font = '600 12px "IBM Plex Mono", monospace';
  const width = to.measureText(node.sn).width + 20;
  to.beginPath();
  to.roundRect(x - width / 2, y - 42, width, 24, 4);
  to.fillStyle = colour('--header');
  to.fill();
  to.fillStyle = colour('--header-text');
  to.fillText(node.sn, x, y - 30);
}

/** Draws the scene; the cost depends on the visible objects. */
export function paint(
  to: CanvasRenderingContext2D,
  scene: Scene,
  { view, size, ratio, colour }: Pick<Brush, 'view' | 'size' | 'colour'> & { ratio: number },
): void {
  const at = ({ x, y }: Place): Place => ({ x: x * view.scale + view.x, y: y * view.scale + view.y });
  const brush: Brush = { to, view, size, colour, at };
  const zoomed = Math.min(1.7, Math.max(0.75, Math.sqrt(view.scale)));
  const { kind } = scene.layout;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.clearRect(0, 0, size.width, size.height);
  if (kind === 'map') paintMapGround(brush);
  else if (kind === 'rings') paintRingGround(brush, scene.layout);
  else paintColumnGround(brush, scene.layout);
  for (const batch of scene.batches) paintLinks(brush, kind, batch);
  to.globalAlpha = 1;
  paintRoute(brush, kind, scene);
  for (const batch of scene.batches) paintStations(brush, batch, zoomed);
  paintLate(brush, scene.late, zoomed);
  paintRoot(brush, scene.layout.root);
  to.textAlign = 'center';
  to.textBaseline = 'middle';
  if (kind === 'map') paintScale(brush);
  else paintLabels(brush, scene);
  if (scene.selected) paintSelected(brush, scene.selected, zoomed);
}
