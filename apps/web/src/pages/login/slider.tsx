import { Check, ChevronsRight, LoaderCircle } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';
import { hasArrived, positionAfterKey, positionAt } from './slide.ts';
import styles from './slider.module.css';

interface SliderProps {
  state: 'open' | 'busy' | 'verified';
  invalid: boolean;
  onArrived: () => void;
}

/** The security check: dragged by mouse or finger, moved by arrow keys, or clicked at its end. */
export function Slider({ state, invalid, onArrived }: SliderProps) {
  const t = useMessages(messages);
  const track = useRef<HTMLDivElement>(null);
  const handle = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number | undefined>();
  const [resting, setResting] = useState(0);
  const position = state === 'open' ? (dragged ?? resting) : 1;

  const arrive = () => {
    setResting(0);
    onArrived();
  };
  const pointerPosition = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    return box ? positionAt(event.clientX, box, handle.current?.getBoundingClientRect().width ?? 0) : 0;
  };
  const onPointerDown = (event: PointerEvent) => {
    if (state !== 'open') return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged(pointerPosition(event));
  };
  const onPointerMove = (event: PointerEvent) => {
    if (dragged !== undefined) setDragged(pointerPosition(event));
  };
  const onPointerUp = () => {
    if (dragged !== undefined && hasArrived(dragged)) arrive();
    setDragged(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = state === 'open' ? positionAfterKey(event.key, resting) : undefined;
    if (next === undefined) return;
    event.preventDefault();
    setResting(next);
    if (hasArrived(next)) arrive();
  };

  const word = state === 'verified' ? t('verified') : state === 'busy' ? t('verifying') : t('drag');
  const Icon = state === 'verified' ? Check : state === 'busy' ? LoaderCircle : ChevronsRight;
  return (
    <div
      ref={track}
      className={styles['track']}
      data-state={state}
      data-invalid={invalid || undefined}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <span className={styles['filled']} style={{ width: `calc(48px + (100% - 48px) * ${position})` }} />
      <span className={styles['word']}>{word}</span>
      <div
        ref={handle}
        className={styles['handle']}
        style={{ left: `calc((100% - 48px) * ${position})` }}
        role="slider"
        tabIndex={0}
        aria-label={t('drag')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(position * 100)}
        aria-valuetext={word}
        onKeyDown={onKeyDown}
      >
        <Icon size={18} aria-hidden="true" />
      </div>
    </div>
  );
}
