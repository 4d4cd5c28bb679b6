import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import type { ItemResult, LinkResult, TaskStep } from '@hes/contract/orders/results.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import { required } from '@hes/dlms/security/cipher.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { MECHANISM_OF } from '#field/devices.ts';
import type { NegotiatedLink } from '#field/link.ts';
import { storeFirmwareVersion } from './admin-queries.ts';
import { readNetwork } from './network-info.ts';
import { lacks } from '#southbound/dcu-parts.ts';
import { partsOfDcu, keysOfDcu } from '#southbound/parts-of-dcu.ts';
import { identifyMeters } from '#features/discovery/port.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { DCU_IS_OFFLINE, overLink } from '#field/operations/over-link.ts';
import { readRefs, refused, type ValueRef } from '#field/operations/read-values.ts';
import { readUplink } from './uplink.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

const refOf = (key: WellKnownKey): ValueRef => {
  const { cosemClass, instance } = WELL_KNOWN[key];
  return { key, obis: instance, classId: cosemClass.id, attribute: MAIN_ATTRIBUTE };
};
const NAME = refOf('LDN');
const MODEM = refOf('GSM');
/** Identity and clock of a DCU. A missing object has its own reason code in the result. */
const ABOUT: readonly ValueRef[] = [NAME, refOf('SN'), refOf('FWID_DCU'), refOf('CLOCK')];

const stepOf = (key: string, begun: MonotonicMs, outcome: Outcome<unknown>, detail: string | null = null): TaskStep => ({
  key,
  ok: outcome.ok,
  ms: Math.round(msSince(begun)),
  detail: outcome.ok ? detail : (outcome.detail ?? null),
  reasonCode: outcome.ok ? null : outcome.reason,
});

const AUTHENTICATION_OF = new Map(Object.entries(MECHANISM_OF).map(([word, mechanism]) => [mechanism, word as AuthenticationType])); // as: keys of that very table

function linkResultOf({ mechanism, suite, conformance, maxPduSize, systemTitle }: NegotiatedLink): LinkResult {
  return {
    authenticationType: required(AUTHENTICATION_OF.get(mechanism), 'mechanism'),
    suite: suite ?? null,
    conformance: [...conformance],
    maxPduSize,
    systemTitle: systemTitle === undefined || systemTitle.length === 0 ? null : toHex(systemTitle),
  };
}

/** Tests a link in steps: connection, association, and the logical device name, which must be the serial number. */
async function testLink(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const begun = monotonicNow();
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return DCU_IS_OFFLINE;
  const steps: TaskStep[] = [stepOf('connect', begun, ok(undefined), session.connection.remote)];
  const opening = monotonicNow();
  return overLink(tools, item, { session, device: tools.devices.buildDcu(session.endpoint) }, async ({ link }) => {
    steps.push(stepOf('associate', opening, ok(undefined)));
    const reading = monotonicNow();
    const [named] = await readRefs(link, [NAME], tools);
    const isIt = named?.value === session.endpoint.sn;
    const right: Outcome<unknown> = isIt ? ok(undefined) : failed('AUTH_FAILED', `The DCU there calls itself ${String(named?.value)}`);
    const told = named?.reasonCode == null ? right : failed('BAD_ANSWER', named.reasonCode);
    steps.push(stepOf('read_name', reading, told, session.endpoint.sn));
    return right.ok ? ok({ steps, link: linkResultOf(link.negotiated) }) : right;
  });
}

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

/** Operations on DCUs. */
export const dcuOperations = (
  tools: OperationTools,
): Pick<Operations, 'dcu_test' | 'dcu_read_info' | 'dcu_restart' | 'discovery_identify'> => ({
  dcu_test: (item) => testLink(tools, item),
  dcu_read_info: (item) => withDevice(tools, item, (work) => readInfo(tools, item, work)),
  dcu_restart: (item) => withDevice(tools, item, (work) => restart(tools, work)),
  discovery_identify: (item) => identifyMeters(tools, item),
});
