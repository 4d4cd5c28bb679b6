import { afterAll, beforeAll, expect, test } from 'vitest';
import { Devices, type MeterDevice } from '../../src/field/devices.ts';
import { DeviceStateWriter } from '../../src/field/device-state-writer.ts';
import { fieldBench, type Bench } from './field-bench.ts';

let bench: Bench;
let meterId: string;
beforeAll(async () => {
  bench = await fieldBench();
  [meterId = ''] = (await bench.register('DEVICES001', 1)).meterIds;
});
afterAll(() => bench.close());

// Simulation, seed 2392: a first collection and a concurrent order used two objects of one meter, and the metadata of the first was lost.
test('metadata that two concurrent operations read is visible to both, and stored', async () => {
  const deviceState = new DeviceStateWriter(bench.ctx.pool, bench.ctx.log);
  const devices = new Devices(bench.ctx, deviceState);
  const found = await Promise.all([devices.loadMeter(meterId), devices.loadMeter(meterId), devices.preload([meterId])]);
  const [collection, order] = found as [MeterDevice, MeterDevice, void]; // as: the meter is in the archive
  devices.setMetadata(collection, 'depth:lpa', 1);
  devices.setMetadata(order, 'depth:energy', 2);
  expect(order).toBe(collection);
  await devices.flushMetadata(collection, 0);
  const { rows } = await bench.ctx.pool.query<{ told: unknown }>(
    'select k.told from meter m join meter_memory k on k.id = m.memory_id where m.id = $1',
    [meterId],
  );
  expect(rows[0]?.told).toEqual({ 'depth:energy': 2, 'depth:lpa': 1 });
  await deviceState.stop();
});

// Simulation, seed 3287: the metadata was discarded between the response and its storage, and the rows were stored without their values.
test('rows are not stored when the metadata was discarded since their read began, also when it was learnt again', async () => {
  const deviceState = new DeviceStateWriter(bench.ctx.pool, bench.ctx.log);
  const devices = new Devices(bench.ctx, deviceState);
  const device = (await devices.loadMeter(meterId)) as MeterDevice; // as: the meter is in the archive
  const { metadataLosses } = device;
  devices.discardMetadata([meterId]);
  devices.setMetadata(device, 'depth:lpa', 3);
  await expect(devices.flushMetadata(device, metadataLosses)).rejects.toThrow('Another head-end');
  await expect(devices.flushMetadata(device, device.metadataLosses)).resolves.toBeUndefined();
  await deviceState.stop();
});
