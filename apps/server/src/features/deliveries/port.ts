export { clearOutbox } from './feed/reader-queries.ts';
export { startDeliveries } from './senders/engine.ts';
export { clearSenders } from './senders/queries.ts';
