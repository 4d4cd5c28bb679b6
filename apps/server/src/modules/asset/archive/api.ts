export { bindInside, unbindInside } from './bind.ts';
export { dispatch } from './orders.ts';
export { findOrderDcus, isBusy, takeMeters } from './queries.ts';
