export { clearOutbox } from './feed/readers.ts';
export { startDeliveries } from './senders/engine.ts';
