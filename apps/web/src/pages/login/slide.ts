/** Position of the handle, 0 to 1. */
export type Position = number;

/** From this position on the slider counts as complete. */
const ARRIVED = 0.97;
const KEY_STEP = 0.1;

interface Track {
  left: number;
  width: number;
}

/** Position of a pointer, as a ratio within the track, independent of the page scale. */
export function positionAt(clientX: number, track: Track, handleWidth: number): Position {
  const way = track.width - handleWidth;
  return way <= 0 ? 0 : clamp((clientX - track.left - handleWidth / 2) / way);
}

/** Position after a key press; undefined for other keys. */
export function positionAfterKey(key: string, position: Position): Position | undefined {
  if (key === 'ArrowRight' || key === 'ArrowUp') return clamp(position + KEY_STEP);
  if (key === 'ArrowLeft' || key === 'ArrowDown') return clamp(position - KEY_STEP);
  if (key === 'End') return 1;
  return key === 'Home' ? 0 : undefined;
}

export const hasArrived = (position: Position): boolean => position >= ARRIVED;

const clamp = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 1000) / 1000));
