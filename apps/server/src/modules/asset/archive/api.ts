export { bindInside, unbindInside } from './bind.ts';
export { findOrderDcus, isBusy, takeMeters } from './queries.ts';
