import type { Tx } from '#db/context.ts';
import { endAlarms, endAlarmsOfPausedRules, keepRule, lockStepsOfOpenAlarms, type StoredRule } from './alarm-queries.ts';
import { leftOf, stepsAhead } from './kept-steps.ts';
import { dropMessages } from './message-queries.ts';

/**
 * After a change of a rule, its open alarms keep the steps with which they began. Those whose further steps have only channels and recipients
 * that the rule no longer names are closed. Returns their number.
 */
export async function settleChangedRule(tx: Tx, before: StoredRule, after: Pick<StoredRule, 'steps'>, now: Date): Promise<number> {
  await keepRule(tx, before);
  const open = await lockStepsOfOpenAlarms(tx, before.id);
  const ended = open.filter(({ steps, step }) => stepsAhead(steps, step).every((one) => leftOf(one, after.steps) === undefined));
  await endAlarms(
    tx,
    ended.map(({ id }) => id),
    'rule_changed',
    now,
  );
  return ended.length;
}

/** Closes the open alarms of a rule that was paused; their messages that wait are dropped. Returns the number of alarms. */
export async function settlePausedRule(tx: Tx, now: Date): Promise<number> {
  const closed = await endAlarmsOfPausedRules(tx, now);
  await dropMessages(tx);
  return closed;
}
