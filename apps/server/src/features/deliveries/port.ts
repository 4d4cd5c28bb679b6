export { clearOutbox } from './feed/reader-queries.ts';
export { startDeliveries } from './senders/engine.ts';
export { reachOf, type DeliveryReach } from './senders/kinds/kind.ts';
export { clearSenders } from './senders/queries.ts';
