import { create } from 'zustand';
import { usePreferences, type DisplaySize } from './preferences.ts';

/** The stage is 1920 design pixels wide and scaled to the window. Below 1280 px the layout narrows instead of shrinking; phones show it unscaled. */
export const DESIGN_WIDTH = 1920;
const MIN_SCALE = 0.667;
/** The width up to which style sheets lay the page out for a phone. */
const PHONE_WIDTH = 600;
const MAX_SCALE = 2;
const RESIZE_DEBOUNCE_MS = 200;
const TRANSITION_MS = 300;
/** Minimum font size of a table cell in CSS pixels, and its design size. */
const CELL_FLOOR_PX = 11.25;
const CELL_DESIGN_PX = 13;

export const scaleOf = (windowWidth: number): number =>
  windowWidth <= PHONE_WIDTH ? 1 : Math.min(MAX_SCALE, Math.max(MIN_SCALE, windowWidth / DESIGN_WIDTH));
/** Enlargement of text relative to geometry that keeps it at the minimum size. */
export const textBoostOf = (k: number): number => Math.max(1, CELL_FLOOR_PX / k / CELL_DESIGN_PX);

const SIZE_FACTOR: Record<DisplaySize, number> = { standard: 1, large: 1.15 };

interface Scale {
  k: number;
  /** Enlargement of text relative to geometry: its minimum size in small windows, times the display size. */
  boost: number;
  engine: 'zoom' | 'transform';
}

const supportsZoom = typeof Element !== 'undefined' && 'currentCSSZoom' in Element.prototype;

/** Enlargement of text up to which a list keeps its columns beside open details. */
const ROOMY_BOOST = 1.1;

export const useScale = create<Scale>()(() => ({ k: 1, boost: 1, engine: supportsZoom ? 'zoom' : 'transform' }));

/** Whether the window is wide enough for details beside a list without a click: about 1500 px, and no phone. */
export const hasRoomBeside = ({ k, boost }: Pick<Scale, 'k' | 'boost'>): boolean =>
  boost <= ROOMY_BOOST && innerWidth / k > DESIGN_WIDTH - 1;

const FONT_SIZES: [design: number, floorCss: number][] = [
  [11, 10],
  [12, 10.5],
  [13, 11.25],
  [14, 11.75],
  [16, 12.8],
  [20, 15],
  [28, 0],
];

function commit(animate: boolean): void {
  const { k: previous, engine } = useScale.getState();
  const k = scaleOf(innerWidth);
  const factor = SIZE_FACTOR[usePreferences.getState().size];
  const boost = textBoostOf(k) * factor;
  const root = document.documentElement;
  root.style.setProperty('--k', `${k}`);
  root.style.setProperty('--stage-w', `${innerWidth / k}px`);
  root.style.setProperty('--stage-h', `${innerHeight / k}px`);
  root.style.setProperty('--boost', boost.toFixed(3));
  for (const [design, floor] of FONT_SIZES)
    root.style.setProperty(`--f${design}`, `${(Math.max(design, floor / k) * factor).toFixed(2)}px`);
  if (engine === 'zoom') root.style.setProperty('zoom', `${k}`);
  else {
    Object.assign(document.body.style, {
      width: `${innerWidth / k}px`,
      height: `${innerHeight / k}px`,
      transform: `scale(${k})`,
      transformOrigin: '0 0',
    });
  }
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (animate && previous !== k && engine === 'zoom' && !still) {
    document.body.animate(
      [
        { transform: `scale(${previous / k})`, transformOrigin: '0 0' },
        { transform: 'none', transformOrigin: '0 0' },
      ],
      { duration: TRANSITION_MS, easing: 'ease' },
    );
  }
  useScale.setState({ k, boost });
}

/** Scales the page to the window now, after each resize, and when the display size changes. */
export function startScale(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  commit(false);
  usePreferences.subscribe((state, previous) => {
    if (state.size !== previous.size) commit(false);
  });
  addEventListener('resize', () => {
    clearTimeout(timer);
    timer = setTimeout(() => commit(true), RESIZE_DEBOUNCE_MS);
  });
}
