import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { Button } from 'antd';
import { Maximize2, Minus, Plus } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { isShortcut } from '#core/keys/shortcuts.ts';
import { NeutralZone } from '#core/theme/neutral-zone.tsx';
import { usePreferences } from '#core/theme/preferences.ts';
import { childrenOf, type Layout } from './layout.ts';
import { texts } from './messages.ts';
import { colourReader, paint, sceneOf } from './paint.ts';
import type { Scene, View } from './scene.ts';
import { paintStill, stillOf, type Still } from './still.ts';
import styles from './topology.module.css';

interface NetworkCanvasProps {
  label: string;
  nodes: readonly TopologyNode[];
  layout: Layout;
  shown: ReadonlySet<string>;
  route: ReadonlySet<string>;
  near: ReadonlySet<string>;
  selected: string | undefined;
  /** The result of the last search by number, a new object per search: the view zooms to it. */
  found: { mac: string } | undefined;
  onSelect: (mac: string | undefined) => void;
}

interface Size {
  width: number;
  height: number;
  /** Scale of the page. */
  k: number;
}

const NEAR_PX = 14;
/** From this number of stations on, panning moves a bitmap, and the stations are redrawn when it stops. */
const BITMAP_ABOVE = 1000;
const REST_MS = 120;
const STEP = 1.35;
const MARGIN = 0.94;
/** Columns only: minimum scale, so that rows of a large network stay apart; the view then starts at the top. */
const LEAST_SCALE = 0.55;
const FOUND_ZOOM = 2.4;

/** Space taken by legend and tools at the sides, before page scaling. Rings leave their corners free. */
const LEGEND_PX = 188;
const TOOLS_PX = 56;

function fitted({ bounds, kind }: Layout, { width, height, k }: Size): View {
  const [left, right] = kind === 'rings' ? [0, 0] : [LEGEND_PX * k, TOOLS_PX * k];
  const whole = MARGIN * Math.min((width - left - right) / (bounds.right - bounds.left || 1), height / (bounds.bottom - bounds.top || 1));
  const scale = kind === 'columns' ? Math.max(LEAST_SCALE, whole) : whole;
  return {
    scale,
    x: (left + width - right) / 2 - ((bounds.left + bounds.right) / 2) * scale,
    y: scale > whole ? -bounds.top * scale : height / 2 - ((bounds.top + bounds.bottom) / 2) * scale,
  };
}

function Drawing({ width, height, k, ...props }: NetworkCanvasProps & Size) {
  const { label, nodes, layout, shown, route, near, selected, found, onSelect } = props;
  const t = useMessages(texts);
  const theme = usePreferences((state) => state.theme);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View>({ scale: 1, x: 0, y: 0 });
  const scene = useRef<Scene>(undefined);
  const frame = useRef(0);
  const drag = useRef<{ x: number; y: number; moved: boolean }>(undefined);

  const still = useRef<Still>(undefined);
  const resting = useRef(0);

  const paintNow = useCallback(
    (isMoving: boolean) => {
      const element = canvas.current;
      const to = element?.getContext('2d');
      if (!element || !to || !scene.current) return;
      if (isMoving && still.current) return paintStill(to, still.current, view.current);
      paint(to, scene.current, { view: view.current, size: { width, height }, ratio: devicePixelRatio, colour: colourReader(element) });
      still.current = scene.current.layout.places.size > BITMAP_ABOVE ? stillOf(element, view.current) : undefined;
    },
    [width, height],
  );
  const draw = useCallback(
    (isMoving = false) => {
      cancelAnimationFrame(frame.current);
      clearTimeout(resting.current);
      frame.current = requestAnimationFrame(() => paintNow(isMoving));
      if (isMoving) resting.current = window.setTimeout(() => paintNow(false), REST_MS);
    },
    [paintNow],
  );
  useEffect(() => () => clearTimeout(resting.current), []);
  const fit = useCallback(() => {
    view.current = fitted(layout, { width, height, k });
    draw();
  }, [layout, width, height, k, draw]);

  // A new network or window size fits the view; a new selection keeps it, even if it opens branches.
  const { kind } = layout;
  const fittedTo = useRef<{ nodes: unknown; kind: string; width: number; height: number }>(undefined);
  useEffect(() => {
    const last = fittedTo.current;
    if (last?.nodes === nodes && last.kind === kind && last.width === width && last.height === height) return;
    fittedTo.current = { nodes, kind, width, height };
    fit();
  }, [fit, nodes, kind, width, height]);
  useEffect(() => {
    scene.current = {
      ...sceneOf({ layout, nodes, shown, route, near, selected }),
      ringLabel: (level, count) => t('hop', { level, count }),
      sectorLabel: (phase) => t(phase),
    };
    draw();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another theme has other colours, which are read while drawing
  }, [layout, nodes, shown, route, near, selected, t, draw, theme]);

  // Scrolls to a station selected by number or by keys.
  useEffect(() => {
    const place = selected === undefined ? undefined : layout.places.get(selected);
    if (!place) return;
    const { scale, x, y } = view.current;
    const [left, top] = [place.x * scale + x, place.y * scale + y];
    if (left > 0 && top > 0 && left < width && top < height) return;
    view.current = { scale, x: width / 2 - place.x * scale, y: height / 2 - place.y * scale };
    draw();
  }, [selected, layout, width, height, draw]);

  // Zooms to the result of a search once, and again after the details pane has changed the width.
  const lookedAt = useRef<{ found: unknown; width: number }>(undefined);
  useEffect(() => {
    const place = found && layout.places.get(found.mac);
    if (!place || (lookedAt.current?.found === found && lookedAt.current.width === width)) return;
    lookedAt.current = { found, width };
    const scale = Math.max(view.current.scale, fitted(layout, { width, height, k }).scale * FOUND_ZOOM);
    view.current = { scale, x: width / 2 - place.x * scale, y: height / 2 - place.y * scale };
    draw();
  }, [found, layout, width, height, k, draw]);

  const zoom = useCallback(
    (by: number, x = width / 2, y = height / 2) => {
      const { scale, x: dx, y: dy } = view.current;
      const next = Math.min(20, Math.max(0.02, scale * by));
      view.current = { scale: next, x: x - ((x - dx) * next) / scale, y: y - ((y - dy) * next) / scale };
      draw(true);
    },
    [width, height, draw],
  );
  useEffect(() => {
    const element = canvas.current;
    // A passive listener could not prevent the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [zoom]);

  const nearest = (x: number, y: number): string | undefined => {
    const { scale, x: dx, y: dy } = view.current;
    let best: string | undefined;
    let bestPx = NEAR_PX;
    for (const [mac, place] of layout.places) {
      const far = Math.hypot(place.x * scale + dx - x, place.y * scale + dy - y);
      if (far < bestPx) [best, bestPx] = [mac, far];
    }
    return best;
  };
  const onMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = drag.current;
    if (!from) return;
    const { offsetX: x, offsetY: y } = event.nativeEvent;
    if (Math.hypot(x - from.x, y - from.y) < 3 && !from.moved) return;
    view.current = { ...view.current, x: view.current.x + x - from.x, y: view.current.y + y - from.y };
    drag.current = { x, y, moved: true };
    draw(true);
  };
  const onUp = (event: PointerEvent<HTMLCanvasElement>) => {
    if (drag.current && !drag.current.moved) onSelect(nearest(event.nativeEvent.offsetX, event.nativeEvent.offsetY));
    drag.current = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = isShortcut('moveStation', event) ? stepFrom(nodes, selected, event.key) : undefined;
    if (isShortcut('zoomIn', event)) zoom(STEP);
    else if (isShortcut('zoomOut', event)) zoom(1 / STEP);
    else if (isShortcut('fitNetwork', event)) fit();
    else if (next === undefined) return;
    else onSelect(next);
    event.preventDefault();
  };
  return (
    <>
      <canvas
        ref={canvas}
        width={width * devicePixelRatio}
        height={height * devicePixelRatio}
        style={{ width, height, touchAction: 'none' }}
        // oxlint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role -- keys walk over what is drawn; the list beside it says the same
        role="application"
        aria-label={label}
        tabIndex={0}
        data-testid="topology-canvas"
        onPointerDown={({ nativeEvent, currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId);
          drag.current = { x: nativeEvent.offsetX, y: nativeEvent.offsetY, moved: false };
        }}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onKeyDown={onKeyDown}
      />
      <div className={styles['tools']}>
        <Button aria-label={t('zoomIn')} icon={<Plus size={15} aria-hidden="true" />} onClick={() => zoom(STEP)} />
        <Button aria-label={t('zoomOut')} icon={<Minus size={15} aria-hidden="true" />} onClick={() => zoom(1 / STEP)} />
        <Button aria-label={t('fit')} icon={<Maximize2 size={14} aria-hidden="true" />} onClick={fit} />
      </div>
    </>
  );
}

/** Left and right move along siblings, up to the parent, down to the first child. */
function stepFrom(nodes: readonly TopologyNode[], selected: string | undefined, key: string): string | undefined {
  const children = childrenOf(nodes);
  const node = nodes.find((one) => one.mac === selected);
  if (!node) return children.get(null)?.[0]?.mac;
  if (key === 'ArrowUp') return node.parentMac ?? undefined;
  if (key === 'ArrowDown') return children.get(node.mac)?.[0]?.mac;
  const siblings = [...children.values()].find((list) => list.includes(node)) ?? [];
  return siblings[siblings.indexOf(node) + (key === 'ArrowRight' ? 1 : -1)]?.mac;
}

/** Stations and links on a canvas that can be panned and zoomed. */
export function NetworkCanvas(props: NetworkCanvasProps) {
  const zone = useMemo(
    () =>
      ({ width, height }: Omit<Size, 'k'>, k: number) => <Drawing {...props} width={width} height={height} k={k} />,
    [props],
  );
  return <NeutralZone>{zone}</NeutralZone>;
}
