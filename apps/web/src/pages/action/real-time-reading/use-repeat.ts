import { MAX_REPEAT_MINUTES, realTime } from '@hes/contract/action/real-time.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { call } from '#core/api/client.ts';

export type StopReason = 'stoppedLeft' | 'stoppedTime';

interface RepeatOptions {
  taskId: string | undefined;
  isOn: boolean;
  everySeconds: number;
  /** The previous round has ended: a slow meter is never polled faster than it answers. */
  hasEnded: boolean;
  onStop: (why: StopReason) => void;
  onFailure: (message: string) => void;
}

const SECOND_MS = 1000;

/** Repeats the order at an interval. The timer lives in the browser only: it stops when the page is closed or hidden. */
export function useRepeat({ taskId, isOn, everySeconds, hasEnded, onStop, onFailure }: RepeatOptions): { rounds: number } {
  const [round, setRound] = useState({ taskId, count: 1 });
  // A new task starts at round one.
  const rounds = round.taskId === taskId ? round.count : 1;
  const stop = useEffectEvent(onStop);
  const fail = useEffectEvent(onFailure);
  const begunAt = useRef(0);
  const roundAt = useRef(0);

  /** Null before the first task is timed. */
  const timedTask = useRef<string | undefined | null>(null);
  useEffect(() => {
    if (timedTask.current === taskId) return;
    timedTask.current = taskId;
    begunAt.current = performance.now();
    roundAt.current = performance.now();
  }, [taskId]);

  const leave = useEffectEvent(() => {
    if (isOn) onStop('stoppedLeft');
  });
  // Pages of other tabs stay mounted but hidden: polling must not resume when the user returns.
  useEffect(() => () => leave(), []);

  useEffect(() => {
    if (!isOn) return undefined;
    const left = () => {
      if (document.hidden) stop('stoppedLeft');
    };
    document.addEventListener('visibilitychange', left);
    return () => document.removeEventListener('visibilitychange', left);
  }, [isOn]);

  useEffect(() => {
    if (!isOn || taskId === undefined || !hasEnded) return undefined;
    const waitMs = Math.max(0, roundAt.current + everySeconds * SECOND_MS - performance.now());
    const timer = setTimeout(() => {
      if (performance.now() - begunAt.current > MAX_REPEAT_MINUTES * 60 * SECOND_MS) return stop('stoppedTime');
      roundAt.current = performance.now();
      void call(realTime.repeat, { params: { id: taskId } }).then((answer) => {
        if (answer.ok) setRound({ taskId, count: rounds + 1 });
        else fail(answer.error.message);
      });
    }, waitMs);
    return () => clearTimeout(timer);
  }, [isOn, taskId, hasEnded, everySeconds, rounds]);

  return { rounds };
}
