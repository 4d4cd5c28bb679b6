import type { AlarmStep } from '@hes/contract/alarm/rule.ts';

type Reach = Pick<AlarmStep, 'channelId' | 'recipientIds'>;

/**
 * The step or message without the recipients that its changed rule no longer names. Undefined if the rule no longer names its channel, or
 * none of its recipients.
 */
export function leftOf<T extends Reach>(step: T, ruleSteps: readonly AlarmStep[]): T | undefined {
  if (!ruleSteps.some(({ channelId }) => channelId === step.channelId)) return undefined;
  const named = new Set(ruleSteps.flatMap(({ recipientIds }) => recipientIds));
  const recipientIds = step.recipientIds.filter((id) => named.has(id));
  return recipientIds.length === 0 && step.recipientIds.length > 0 ? undefined : { ...step, recipientIds };
}

/** The steps that an alarm has still to take; behind the last one it repeats that one. */
export const stepsAhead = (steps: readonly AlarmStep[], taken: number): readonly AlarmStep[] =>
  steps.slice(Math.min(taken, steps.length - 1));
