/** States of an item as a reader sees them. `unknown`: the command was sent, and nothing confirmed its outcome. */
export const RUN_ITEM_STATES = ['read_success', 'read_fail', 'unknown', 'reading', 'waiting', 'cancelled', 'expired'] as const;
export type RunItemState = (typeof RUN_ITEM_STATES)[number];
