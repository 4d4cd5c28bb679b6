/** Displayed states of an item. `unknown`: the command was sent, and its outcome is not confirmed. */
export const RUN_ITEM_STATES = ['read_success', 'read_fail', 'unknown', 'reading', 'waiting', 'cancelled', 'expired'] as const;
export type RunItemState = (typeof RUN_ITEM_STATES)[number];
