import type { Progress } from '@hes/contract/asset/connecting.ts';
import { CONNECT_STEPS, type ConnectedKind, type ConnectStep, type GuidedOrder } from '@hes/contract/states/connecting.ts';
import { hasEnded } from '#domain/live-run/run-counts.ts';

export type StepState = 'done' | 'current' | 'failed' | 'open';

/** Steps for this kind of device: a direct meter has no meters behind it. */
export const stepsOf = (kind: ConnectedKind): ConnectStep[] => CONNECT_STEPS.filter((step) => kind === 'dcu' || step !== 'meters');

/** The result of one step, without regard to the others; undefined: it has none yet. */
function resultOf(step: ConnectStep, progress: Progress | undefined, isCollected: boolean): 'done' | 'failed' | undefined {
  if (progress === undefined) return undefined;
  const { orders, onlineStatus, meters } = progress;
  const ended = (order: Progress['orders'][GuidedOrder]) =>
    order === null || !hasEnded(order) ? undefined : order.state === 'finished' ? 'done' : 'failed';
  switch (step) {
    case 'call':
    case 'register':
      return 'done';
    case 'online':
      return onlineStatus === 'online' ? 'done' : undefined;
    case 'test':
    case 'check':
    case 'value':
      return ended(orders[step]);
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

/** The step that the guide opens: a failed one, which blocks those after it, otherwise the current one, and at the end the last. */
export function currentStep(states: ReadonlyMap<ConnectStep, StepState>): ConnectStep {
  const found = [...states].find(([step, state]) => state === 'current' || (state === 'failed' && step !== 'check'));
  return found?.[0] ?? 'plan';
}
