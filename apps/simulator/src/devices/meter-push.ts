import { encodeNotification, type Notification } from '@hes/dlms/association/notification.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { rangeSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import { captureOf } from './meter-profiles.ts';
import type { MeterState } from './meter-state.ts';
import type { SimulatedObject } from './simulate.ts';

const { captureObjects, buffer } = profileGeneric.attributes;
const DAILY = { classId: profileGeneric.id, instance: WELL_KNOWN.DAILY.instance, dataIndex: 0 };
const STRUCTURE = 0x02;
const NULL = Uint8Array.of(0);

/** Objects of the daily push: the list itself, the clock, columns and newest row of the daily freeze, and the totals. */
export const DAILY_PUSH: CaptureObject[] = [
  captureOf('PUSH'),
  captureOf('CLOCK'),
  { ...DAILY, attributeId: captureObjects.id },
  { ...DAILY, attributeId: buffer.id },
  captureOf('E_PLUS'),
  captureOf('E_MINUS'),
];

/** Finds the objects of a meter by class and logical name. */
export type ObjectsOf = (object: CaptureObject) => SimulatedObject | undefined;

/** The present values of the list; objects that the meter lacks are null-data. */
export function pushBodyOf({ local, now }: MeterState, objectsOf: ObjectsOf): Uint8Array {
  const newest = rangeSelection({ from: utc(local.startOf(local.dayOf(now()))), to: utc(now()) });
  const values = DAILY_PUSH.map((object) => {
    const selection: Selection | undefined = object.classId === DAILY.classId && object.attributeId === buffer.id ? newest : undefined;
    const value = objectsOf(object)?.read?.(object.attributeId, selection);
    return value instanceof Uint8Array ? value : NULL;
  });
  return Buffer.concat([Uint8Array.of(STRUCTURE, values.length), ...values]);
}

const utc = (at: number) => fromEpochMs(at, 0);

/** A confirmed, ciphered push. A repeated number repeats the same push. */
export const encodePush = (number: number, body: Uint8Array, protection: NonNullable<Notification['protection']>): Uint8Array =>
  encodeNotification({ longInvokeId: number, confirmed: true, body, protection });
