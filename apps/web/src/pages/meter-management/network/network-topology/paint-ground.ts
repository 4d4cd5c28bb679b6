import type { Layout } from './layout.ts';
import type { Brush, Scene } from './scene.ts';

const GRID_PX = 80;
const SCALE_MARGIN = 16;
const INNER_PX = 46;
/** Height of the hop labels above the columns. */
const HEAD_PX = 34;
const FOLDED_PX = 10;
const LEAN_PX = 16;

/** Sectors of the phases as pale areas, rings of the hops as dotted lines. */
export function paintRingGround({ to, at, view, colour }: Brush, { root, rings, sectors, bounds }: Layout): void {
  const { x, y } = at(root);
  to.fillStyle = colour('--surface-2');
  for (const { from, to: end } of sectors) {
    to.beginPath();
    to.arc(x, y, (bounds.right - INNER_PX / 2) * view.scale, from, end);
    to.arc(x, y, INNER_PX * view.scale, end, from, true);
    to.fill();
  }
  to.lineWidth = 1;
  to.setLineDash([2, 4]);
  to.strokeStyle = colour('--line-strong');
  for (const ring of rings) {
    to.beginPath();
    to.arc(x, y, ring.radius * view.scale, 0, Math.PI * 2);
    to.stroke();
  }
  to.setLineDash([]);
}

/** A pale line under each hop, and from the DCU to the branches of each phase. */
export function paintColumnGround({ to, at, view, size, colour }: Brush, { root, rings, stems }: Layout): void {
  to.beginPath();
  for (const { radius } of rings) {
    const x = Math.round(radius * view.scale + view.x) + 0.5;
    to.moveTo(x, HEAD_PX);
    to.lineTo(x, size.height);
  }
  to.lineWidth = 1;
  to.setLineDash([2, 6]);
  to.strokeStyle = colour('--line');
  to.stroke();
  to.setLineDash([]);
  to.beginPath();
  const from = at(root);
  for (const stem of stems.values()) {
    const { x, y } = at(stem);
    to.moveTo(from.x, from.y);
    to.bezierCurveTo((from.x + x) / 2, from.y, (from.x + x) / 2, y, x, y);
  }
  to.strokeStyle = colour('--line-strong');
  to.stroke();
}

/** Rounds to 1, 2 or 5 times a power of ten. */
function roundMetres(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return (metres / power >= 5 ? 5 : metres / power >= 2 ? 2 : 1) * power;
}

/** A metric grid. Street maps would need a map server, which a closed network does not have. */
export function paintMapGround({ to, view, size, colour }: Brush): void {
  const step = roundMetres((GRID_PX * 2) / view.scale) * view.scale;
  to.beginPath();
  for (let x = view.x % step; x < size.width; x += step) {
    to.moveTo(Math.round(x) + 0.5, 0);
    to.lineTo(Math.round(x) + 0.5, size.height);
  }
  for (let y = view.y % step; y < size.height; y += step) {
    to.moveTo(0, Math.round(y) + 0.5);
    to.lineTo(size.width, Math.round(y) + 0.5);
  }
  to.lineWidth = 1;
  to.strokeStyle = colour('--line');
  to.stroke();
}

export function paintScale({ to, view, size, colour }: Brush): void {
  const metres = roundMetres((GRID_PX * 2) / view.scale);
  const width = metres * view.scale;
  const [right, y] = [size.width - SCALE_MARGIN, size.height - SCALE_MARGIN];
  to.beginPath();
  to.moveTo(right - width, y - 5);
  to.lineTo(right - width, y);
  to.lineTo(right, y);
  to.lineTo(right, y - 5);
  to.lineWidth = 1.5;
  to.strokeStyle = colour('--text-secondary');
  to.stroke();
  to.font = '600 11px "IBM Plex Sans", sans-serif';
  to.fillStyle = colour('--text-secondary');
  to.fillText(metres >= 1000 ? `${metres / 1000} km` : `${metres} m`, right - width / 2, y - 10);
}

/** Labels of rings, sectors and columns, and the number of stations in folded branches. */
export function paintLabels({ to, at, view, colour }: Brush, { layout, ringLabel, sectorLabel }: Scene): void {
  const root = at(layout.root);
  /** Lean -1 or 1 aligns the label to the left or right of its anchor; 0 centres it. */
  const label = (text: string, anchor: number, y: number, lean = 0): void => {
    const width = to.measureText(text).width + 18;
    const x = anchor + lean * (width / 2 - LEAN_PX);
    to.beginPath();
    to.roundRect(x - width / 2, y - 10, width, 20, 10);
    to.fillStyle = colour('--surface');
    to.fill();
    to.strokeStyle = colour('--line-strong');
    to.lineWidth = 1;
    to.stroke();
    to.fillStyle = colour('--text-secondary');
    to.fillText(text, x, y);
  };
  to.font = '600 11px "IBM Plex Sans", sans-serif';
  if (layout.kind === 'columns') {
    for (const { level, count, radius } of layout.rings) label(ringLabel(level, count), radius * view.scale + view.x, HEAD_PX / 2);
    for (const [phase, stem] of layout.stems) label(sectorLabel(phase), at(stem).x, at(stem).y);
    to.textAlign = 'left';
    for (const [mac, count] of layout.folded) {
      const place = layout.places.get(mac);
      if (place) to.fillText(`+${count}`, at(place).x + FOLDED_PX, at(place).y);
    }
    to.textAlign = 'center';
    return;
  }
  for (const { level, count, radius } of layout.rings) label(ringLabel(level, count), root.x, root.y - radius * view.scale);
  const rim = (layout.bounds.right - INNER_PX / 4) * view.scale;
  for (const { phase, from, to: end } of layout.sectors) {
    const angle = (from + end) / 2;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    // Away from the labels of the hops, which are above the DCU.
    label(sectorLabel(phase), root.x + cos * rim, root.y + sin * rim, sin < 0 ? Math.sign(cos) : 0);
  }
}
