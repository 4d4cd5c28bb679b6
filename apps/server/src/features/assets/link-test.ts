import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { LinkResult, TaskStep } from '@hes/contract/orders/results.ts';
import type { AuthenticationType } from '@hes/contract/states/device.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import { required } from '@hes/dlms/security/cipher.ts';
import { MECHANISM_OF } from '#field/devices.ts';
import type { NegotiatedLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { DCU_IS_OFFLINE, METER_IS_OFFLINE, overLink, type Reached } from '#field/operations/over-link.ts';
import { readRefs, type ValueRef } from '#field/operations/read-values.ts';
import { isDirect, type Device } from '#field/devices.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';

export const refOf = (key: WellKnownKey): ValueRef => {
  const { cosemClass, instance } = WELL_KNOWN[key];
  return { key, obis: instance, classId: cosemClass.id, attribute: MAIN_ATTRIBUTE };
};
const NAME = refOf('LDN');

export const stepOf = (key: string, begun: MonotonicMs, outcome: Outcome<unknown>, detail: string | null = null): TaskStep => ({
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

/** A DCU is its logical device name; the name of a meter was compared with its serial number when the association was opened. */
function judgeName(device: Device, name: unknown): Outcome<void> {
  const isIt = device.kind === 'meter' || name === device.sn;
  return isIt ? ok(undefined) : failed('AUTH_FAILED', `The DCU there calls itself ${String(name)}`);
}

/** Steps of a test over an open link: the association, and the logical device name. */
async function testOpenLink(tools: OperationTools, { link, device }: Reached, steps: TaskStep[], opening: MonotonicMs) {
  steps.push(stepOf('associate', opening, ok(undefined)));
  const reading = monotonicNow();
  const [named] = await readRefs(link, [NAME], tools);
  const judged = judgeName(device, named?.value);
  const told = named?.reasonCode == null ? judged : failed('BAD_ANSWER', named.reasonCode);
  steps.push(stepOf('read_name', reading, told, String(named?.value)));
  return judged.ok ? ok({ steps, link: linkResultOf(link.negotiated) }) : judged;
}

/** Tests a link in steps: connection, association, and the logical device name. Device of the item: the DCU itself, or a meter. */
export async function testLink(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const begun = monotonicNow();
  const meter = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  if (item.meterId !== null && meter === undefined) return { outcome: failed('INTERNAL', 'The meter does not exist'), traceId: undefined };
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return meter !== undefined && isDirect(meter) ? METER_IS_OFFLINE : DCU_IS_OFFLINE;
  const steps: TaskStep[] = [stepOf('connect', begun, ok(undefined), session.connection.remote)];
  const opening = monotonicNow();
  const device: Device = meter ?? tools.devices.buildDcu(session.endpoint);
  return overLink(tools, item, { session, device }, (reached) => testOpenLink(tools, reached, steps, opening));
}
