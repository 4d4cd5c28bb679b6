export { readUplink } from './dcu/uplink.ts';
export { writeKeys } from './keys/queries.ts';
export { type Verdict, findVerdicts, learnFrom } from './meter-type/unsupported-objects-queries.ts';
export { listUnsupported } from './meter-type/unsupported-queries.ts';
export { recordPhases, storeVersions } from './meter/admin-queries.ts';
export { findMeter, findMetersForOrder } from './meter/queries.ts';
