import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { BUFFER_DAYS } from '@hes/contract/reading/gap.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { PushedObject, PushedValue } from '@hes/dlms/cosem/push-body.ts';
import type { LatestValue } from '#storage/latest.ts';
import { isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import { decoded } from '../decoded.ts';
import type { MeterDevice } from '../devices.ts';
import { findItemsAt } from '../queries.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import { profileAt, storeRows } from './profiles.ts';
import { readPushedRows } from './read-profile.ts';
import { valueOf } from './read-registers.ts';
import { hasScaler, scalingOf } from './scalers.ts';
import { advanceByPush } from './watermarks.ts';

const DAY_MS = 86_400_000;
/** Maximum age of the stored row that pushed rows are compared with. */
const ANCHOR_REACH_MS = 62 * DAY_MS;
/** Alarm registers and descriptors. @spec BB 6 (alarm objects) */
const ALARM = /^0\.\d+\.97\.98\.\d+\.255$/;
/** Older pushed values are not stored as newest values. */
const NEWEST_MS = 3_600_000;

export type PushTools = Pick<OperationTools, 'ctx' | 'devices' | 'writer' | 'zone' | 'anchors'>;

/** Values of an authenticated push of a meter. */
export interface MeterPush {
  device: MeterDevice;
  dcuId: string;
  traceId: string;
  /** Time of arrival, and time stated by the meter. Epoch milliseconds. */
  now: number;
  madeAt: number | undefined;
  values: readonly PushedValue[];
}

/** Whether the event logs of the meter are to be read: an alarm is set, or the pushed objects are unknown. */
export function isAlarm(values: readonly PushedValue[] | undefined): boolean {
  return values === undefined || values.some(({ object, octets }) => ALARM.test(object.instance) && isSet(octets));
}

function isSet(octets: Uint8Array): boolean {
  const value = decode(dataCodec, octets);
  return !('value' in value) || Number(value.value) !== 0;
}

/**
 * Stores pushed rows of profiles, and registers as newest values of the meter. Resolves after the commit with their number. Values that
 * cannot be decoded reliably are left out and read when they are due: a gap can be refilled, a wrong value would remain undetected.
 */
export async function storePushed(tools: PushTools, push: MeterPush): Promise<number> {
  const stored = push.values
    .filter(({ object }) => isAttribute(object, profileGeneric, 'buffer'))
    .map((value) => storeBuffer(tools, push, value));
  stored.push(storeNewest(tools, push));
  return (await Promise.all(stored)).reduce((sum, count) => sum + count, 0);
}

async function storeBuffer(tools: PushTools, push: MeterPush, { object, octets }: PushedValue): Promise<number> {
  const { device, now } = push;
  const profile = profileAt(object.instance, device.objectMap);
  if (profile === undefined || (object.columns ?? []).length > 0) return 0;
  const from = now - BUFFER_DAYS[profile] * DAY_MS;
  const anchor = await tools.anchors.load({ meterId: device.id, profile, from: now - ANCHOR_REACH_MS, to: now });
  const { metadataLosses } = device;
  const answer = readPushedRows(device, tools.devices, {
    profile,
    instance: object.instance,
    octets,
    captureObjects: captureObjectsIn(push, object),
    anchor,
    from,
    to: now,
    deviationMinutes: tools.zone.deviationMinutes(now),
    now,
  });
  if (!answer.ok) {
    const { reason, detail } = answer;
    tools.ctx.log.info('A pushed profile was not stored and is read when it is due', { sn: device.sn, profile, reason, detail });
    return 0;
  }
  const { clock } = answer.value.data;
  await tools.devices.flushMetadata(device, metadataLosses);
  await storeRows(tools, { ...push, urgent: false, source: 'push' }, profile, answer.value);
  advanceByPush(tools, device, profile, clock);
  return clock.length;
}

const captureObjectsIn = ({ values }: MeterPush, { instance }: PushedObject): Uint8Array | undefined =>
  values.find(({ object }) => object.instance === instance && isAttribute(object, profileGeneric, 'captureObjects'))?.octets;

/** Stores pushed registers as newest values of their reading items. */
async function storeNewest(tools: PushTools, push: MeterPush): Promise<number> {
  const { device, now, traceId } = push;
  // It may be discarded while the reading items are found, and values without their scalers would be stored unscaled.
  const { metadata } = device;
  const at = madeAt(tools, push);
  if (at > now || now - at > NEWEST_MS) return 0;
  const registers = push.values.filter(
    ({ object }) =>
      object.attributeId === MAIN_ATTRIBUTE && (object.dataIndex ?? 0) === 0 && (object.classId === data.id || isKnown(device, object)),
  );
  if (registers.length === 0) return 0;
  const items = await findItemsAt(
    tools.ctx.pool,
    registers.map(({ object }) => object),
  );
  const newest: Record<string, LatestValue> = {};
  for (const item of items) {
    const octets = registers.find(({ object }) => object.classId === item.classId && object.instance === item.obis)?.octets;
    if (octets === undefined || device.objectMap.has(item.key)) continue;
    const query = { items: [], now: at, deviationMinutes: 0 };
    const { value, unit, reasonCode } = valueOf(
      item,
      octets,
      scalingOf(metadata, { classId: item.classId, instance: obis(item.obis) }),
      query,
    );
    if (reasonCode === null && value !== null) newest[item.key] = { value, unit, at: new Date(at).toISOString(), traceId };
  }
  const count = Object.keys(newest).length;
  if (count > 0) await tools.writer.storeValues(device.id, newest);
  return count;
}

const isKnown = (device: MeterDevice, object: PushedObject): boolean =>
  hasScaler(object) && scalingOf(device.metadata, object) !== undefined;

/** Time of the values: that of the pushed clock, else of the notification, else of the arrival. Epoch milliseconds. */
function madeAt({ zone }: PushTools, { values, madeAt: said, now }: MeterPush): number {
  const shown = values.find(({ object }) => isAttribute(object, clock, 'time'));
  return (shown && momentIn(shown.octets, zone.deviationMinutes(now))) ?? said ?? now;
}

function momentIn(octets: Uint8Array, deviationMinutes: number): number | undefined {
  const time = decoded(clock.attributes.time.codec, octets);
  return time.ok ? (toEpochMs(time.value, deviationMinutes) ?? undefined) : undefined;
}
