export { type SignalSetting, findSignalLimits, judgeAgain, signalClass, signalWithin } from './archive-queries.ts';
export { bindInside, unbindInside } from './bind.ts';
export { findOrderDcus, isBusy, takeMeters } from './list-queries.ts';
export { dispatch } from './orders.ts';
export { Arrays } from './wire.ts';
