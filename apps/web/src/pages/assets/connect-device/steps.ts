import type { Progress } from '@hes/contract/asset/connecting.ts';
import { CONNECT_STEPS, type ConnectedKind, type ConnectStep } from '@hes/contract/states/connecting.ts';
import type { TaskState } from '@hes/contract/task/task.ts';

export type StepState = 'done' | 'current' | 'failed' | 'open';

/** Steps for this kind of device: a direct meter has no meters behind it. */
export const stepsOf = (kind: ConnectedKind): ConnectStep[] => CONNECT_STEPS.filter((step) => kind === 'dcu' || step !== 'meters');

const isRunning = (state: TaskState) => state === 'waiting' || state === 'running' || state === 'paused' || state === 'waiting_approval';

/** What is known about a step by itself; undefined: nothing was done yet. */
function resultOf(step: ConnectStep, progress: Progress | undefined, isCollected: boolean): 'done' | 'failed' | undefined {
  if (progress === undefined) return undefined;
  const { orders, onlineStatus, meters } = progress;
  const ended = (state: TaskState | undefined) =>
    state === undefined || isRunning(state) ? undefined : state === 'finished' ? 'done' : 'failed';
  switch (step) {
    case 'call':
    case 'register':
      return 'done';
    case 'online':
      return onlineStatus === 'online' ? 'done' : undefined;
    case 'test':
    case 'check':
    case 'value':
      return ended(orders[step]?.state);
    case 'meters':
      return meters > 0 ? 'done' : undefined;
    case 'plan':
      return isCollected ? 'done' : undefined;
  }
}

/**
 * The state of each step, from what the head-end knows about the device; nothing else is stored. The first step that is neither done nor
 * failed is the current one.
 */
export function stepStates(kind: ConnectedKind, progress: Progress | undefined, isCollected: boolean): Map<ConnectStep, StepState> {
  const states = new Map<ConnectStep, StepState>();
  let current: ConnectStep | undefined;
  for (const step of stepsOf(kind)) {
    const result = resultOf(step, progress, isCollected);
    if (result === undefined && current === undefined) current = step;
    states.set(step, result ?? (step === current ? 'current' : 'open'));
  }
  return states;
}

/** The step that the guide shows by itself: a failed one, since it blocks what follows, otherwise the current one, at the end the last. */
export function currentStep(states: ReadonlyMap<ConnectStep, StepState>): ConnectStep {
  const found = [...states].find(([step, state]) => state === 'current' || (state === 'failed' && step !== 'check'));
  return found?.[0] ?? 'plan';
}
