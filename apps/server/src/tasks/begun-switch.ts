import type { WorkItem } from './operation.ts';

const SWITCHES = ['relay_disconnect', 'relay_connect', 'relay_arm'];

/**
 * A switch that was begun may be done already: whatever becomes of its task or its DCU, it is not given up before its relay was read. In
 * SQL, of `i`, an item that waits.
 */
export const IS_BEGUN_SWITCH = `(i.attempts > 0 and i.kind in (${SWITCHES.map((kind) => `'${kind}'`).join(', ')}))`;

/** Whether the command of such an item was sent to its relay. In SQL, of `i`. */
export const IS_SENT_SWITCH = `(${IS_BEGUN_SWITCH} and exists (select from relay_command c join relay_sent s on s.command_id = c.id
  where c.task_id = i.task_id and c.meter_id = i.meter_id))`;

/** The same of an item that was taken: this time counts as an attempt, too. */
export const isBegunSwitch = ({ kind, attempts }: WorkItem): boolean => attempts > 1 && SWITCHES.includes(kind);
