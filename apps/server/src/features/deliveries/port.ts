export { clearOutbox } from './feed/reader-queries.ts';
export { startDeliveries } from './senders/engine.ts';
