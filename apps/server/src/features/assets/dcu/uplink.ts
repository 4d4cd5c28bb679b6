import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { UplinkReading } from '@hes/contract/states/uplink.ts';
import { storeUplink } from './uplink-queries.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import { withoutModem } from '#southbound/without-modem.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import type { DeviceWork } from '#field/operations/with-device.ts';

/** Reads the mobile network status of a DCU's modem and stores it. "No modem" is a successful result. */
export async function readUplink(tools: OperationTools, work: DeviceWork): Promise<Outcome<UplinkReading>> {
  const { signal } = await partsOfDcu(tools, work);
  const read = signal === undefined ? ok(withoutModem(tools.ctx.clock.now())) : await signal();
  if (!read.ok) return read;
  const reading = { ...read.value, readAt: new Date(tools.ctx.clock.now()).toISOString() };
  await storeUplink(tools.ctx.db, work.dcuId, reading);
  return ok(reading);
}
