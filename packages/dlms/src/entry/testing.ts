/**
 * A small meter for tests, and the parts it is made of.
 * @module dlms/testing
 */
export { demoMeter, type DemoMeterOptions } from '../testing/demo-meter.ts';
export { plainObject } from '../testing/plain-object.ts';
