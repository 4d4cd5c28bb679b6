/**
 * Read a meter in a few lines.
 * @module dlms-node/meter
 */
export { Meter } from '../meter/meter.ts';
export type { ConnectOptions, OctetsOrHex } from '../meter/connect-options.ts';
export { MeterError, type MeterErrorCode } from '../meter/meter-error.ts';
export { MeterObject } from '../meter/meter-object.ts';
export type { MeterProfile, ProfileColumn, ProfileQuery, ProfileRow } from '../meter/meter-profile.ts';
export type { PlainValue, Reading } from '../meter/plain-value.ts';
export type { UpgradeOptions } from '../meter/transfer-image.ts';
