/** `dlms/testing`: a small meter for tests, and the parts it is made of. */
export { demoMeter, type DemoMeterOptions } from '../testing/demo-meter.ts';
export { plainObject } from '../testing/plain-object.ts';
