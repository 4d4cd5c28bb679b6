import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import type { ClaimedItem } from './operation.ts';

/** Kinds whose outcome is unknown until the device was read back. */
export const READ_BACK_KINDS: readonly string[] = kindsWhere(({ needsReadBack }) => needsReadBack);

/**
 * Condition on `i`, an item that waits: its command may have been executed already, so that it is neither cancelled nor failed before the
 * device was read back.
 */
export const IS_POSSIBLY_EXECUTED = `(i.attempts > 0 and i.kind in (${READ_BACK_KINDS.map((kind) => `'${kind}'`).join(', ')}))`;

/** Condition on `i`: the command of such an item was sent to its relay. */
export const IS_SENT_COMMAND = `(${IS_POSSIBLY_EXECUTED} and exists (select from relay_command c join relay_sent s on s.command_id = c.id
  where c.task_id = i.task_id and c.meter_id = i.meter_id))`;

/** The same for an item that was claimed: its present attempt is counted as well. */
export const isPossiblyExecuted = ({ kind, attempts }: ClaimedItem): boolean => attempts > 1 && READ_BACK_KINDS.includes(kind);
