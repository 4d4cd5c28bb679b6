/** How far the handle is, 0 to 1. */
export type Position = number;

/** From here on it counts as arrived: a hand need not hit the last pixel. */
const ARRIVED = 0.97;
const KEY_STEP = 0.1;

interface Track {
  left: number;
  width: number;
}

/** Position for a pointer: ratios inside the rectangle only, so that the scale of the page does not matter. */
export function positionAt(clientX: number, track: Track, handleWidth: number): Position {
  const way = track.width - handleWidth;
  return way <= 0 ? 0 : clamp((clientX - track.left - handleWidth / 2) / way);
}

/** Position after a key; undefined: not a key of the slider. */
export function positionAfterKey(key: string, position: Position): Position | undefined {
  if (key === 'ArrowRight' || key === 'ArrowUp') return clamp(position + KEY_STEP);
  if (key === 'ArrowLeft' || key === 'ArrowDown') return clamp(position - KEY_STEP);
  if (key === 'End') return 1;
  return key === 'Home' ? 0 : undefined;
}

export const hasArrived = (position: Position): boolean => position >= ARRIVED;

const clamp = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 1000) / 1000));
