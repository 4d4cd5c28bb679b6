export {
  type SignalSetting,
  deleteRecordsOfDcu,
  deleteRecordsOfMeter,
  findSignalLimits,
  rejudgeDcu,
  rejudgeRecords,
  signalClass,
  signalWithin,
} from './archive-queries.ts';
export { bindInside, unbindInside } from './bind.ts';
export { findOrderDcus, isBusy } from './list-queries.ts';
export { orderDispatch } from './orders.ts';
