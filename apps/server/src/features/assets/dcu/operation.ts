import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { monotonicNow } from '#platform/clock.ts';
import type { Operations, WorkItem } from '#tasks/operation.ts';
import { refOf, stepOf, testLink } from '#features/assets/link-test.ts';
import { storeFirmwareVersion } from './admin-queries.ts';
import { readNetwork } from './network-info.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu, keysOfDcu } from '#southbound/parts-of-dcu.ts';
import { identifyMeters } from '#features/discovery/port.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readRefs, refused, type ValueRef } from '#field/operations/read-values.ts';
import { readUplink } from './uplink.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const NAME = refOf('LDN');
const MODEM = refOf('GSM');
/** Identity and clock of a DCU. A missing object has its own reason code in the result. */
const ABOUT: readonly ValueRef[] = [NAME, refOf('SN'), refOf('FWID_DCU'), refOf('CLOCK')];

async function readInfo(tools: OperationTools, item: WorkItem, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const known = await keysOfDcu(tools.ctx.db, item.dcuId);
  // Every DCU has a name; other objects are read as far as the profile has them.
  const about = ABOUT.filter((object) => object === NAME || known.has(object.key));
  const values = await readRefs(work.link, about, tools);
  if (values.every((value) => value.reasonCode !== null)) return failed('BAD_ANSWER', values[0]?.reasonCode ?? undefined);
  const network = await readNetwork(work.link, tools.ctx.clock.now(), known);
  if (!network.ok) return network;
  values.push(...network.value);
  const { archive } = await partsOfDcu(tools, work);
  const count = await archive?.count();
  const firmware = values.find((value) => value.item === 'FWID_DCU')?.value;
  if (typeof firmware === 'string') await storeFirmwareVersion(tools.ctx.db, item.dcuId, firmware);
  const uplink = await readUplink(tools, work);
  if (!uplink.ok) values.push(refused(MODEM, uplink.reason));
  return ok({
    values,
    ...(count?.ok === true ? { counts: { archiveEntries: count.value } } : {}),
    ...(uplink.ok ? { uplink: uplink.value } : {}),
  });
}

/** Restarts a DCU. The DCU responds before it restarts; its next connection shows that it is back. */
async function restart(tools: OperationTools, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const begun = monotonicNow();
  const { restart: order } = await partsOfDcu(tools, work);
  if (order === undefined) return lacks('restart');
  const done = await order();
  if (!done.ok) return done;
  return ok({ steps: [stepOf('restart', begun, done)] });
}

/** Operations on DCUs, and the test of a link, which meters have as well. */
export const dcuOperations = (
  tools: OperationTools,
): Pick<Operations, 'dcu_test' | 'meter_test' | 'dcu_read_info' | 'dcu_restart' | 'discovery_identify'> => ({
  dcu_test: (item) => testLink(tools, item),
  meter_test: (item) => testLink(tools, item),
  dcu_read_info: (item) => withDevice(tools, item, (work) => readInfo(tools, item, work)),
  dcu_restart: (item) => withDevice(tools, item, (work) => restart(tools, work)),
  discovery_identify: (item) => identifyMeters(tools, item),
});
