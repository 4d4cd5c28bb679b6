import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import type { ClaimedItem } from './operation.ts';

/** Order kinds whose outcome is unknown until the device is read back. */
export const READ_BACK_KINDS: readonly string[] = kindsWhere(({ needsReadBack }) => needsReadBack);

/**
 * Condition on a waiting item `i`: its command may have been executed already. Such an item is neither cancelled nor failed before the
 * device is read back.
 */
export const IS_POSSIBLY_EXECUTED = `(i.attempts > 0 and i.kind in (${READ_BACK_KINDS.map((kind) => `'${kind}'`).join(', ')}))`;

/** Condition on `i`: the item is possibly executed and its relay command was sent. */
export const IS_SENT_COMMAND = `(${IS_POSSIBLY_EXECUTED} and exists (select from relay_command c join relay_sent s on s.command_id = c.id
  where c.task_id = i.task_id and c.meter_id = i.meter_id))`;

/** The same for a claimed item, whose `attempts` include the present one. */
export const isPossiblyExecuted = ({ kind, attempts }: ClaimedItem): boolean => attempts > 1 && READ_BACK_KINDS.includes(kind);
