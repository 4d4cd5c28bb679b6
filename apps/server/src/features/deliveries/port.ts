export { clearOutbox } from './feed/reader-queries.ts';
export { audienceOf } from './senders/area.ts';
export { startDeliveries } from './senders/engine.ts';
export { DeliveryFailed, reachOf, type DeliveryReach } from './senders/kinds/kind.ts';
export { postSigned } from './senders/kinds/webhook/signed-post.ts';
export { clearSenders } from './senders/queries.ts';
export { requireContents, requireWholeNetwork } from './senders/rights.ts';
