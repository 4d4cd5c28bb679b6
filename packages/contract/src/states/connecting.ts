/** What the guide connects: a data concentrator, or a meter with a connection of its own. */
export const CONNECTED_KINDS = ['dcu', 'meter'] as const;
export type ConnectedKind = (typeof CONNECTED_KINDS)[number];

/** Steps of the guide in their order. A direct meter has no step `meters`. */
export const CONNECT_STEPS = ['call', 'register', 'online', 'test', 'check', 'meters', 'value', 'plan'] as const;
export type ConnectStep = (typeof CONNECT_STEPS)[number];

/** Orders that the guide places; each completes the step of its name. */
export const GUIDED_ORDERS = ['test', 'check', 'meters', 'value'] as const;
export type GuidedOrder = (typeof GUIDED_ORDERS)[number];
