import { ByteReader } from '../codec/byte-reader.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { pushSetup, pushSetupV1 } from './classes/push-setup.ts';
import { logicalName, rawData } from './data.ts';
import { TAG } from './data-scalars.ts';
import type { Obis } from './obis.ts';
import type { RestrictedCaptureObject } from './restricted-capture-object.ts';

/** An entry of a push object list: an attribute, or a restricted part of it. */
export type PushedObject = Pick<RestrictedCaptureObject, 'classId' | 'instance' | 'attributeId'> &
  Partial<Pick<RestrictedCaptureObject, 'dataIndex' | 'columns'>>;

/** One pushed value. */
export interface PushedValue {
  object: PushedObject;
  /** One encoded Data, a view into the body. */
  octets: Uint8Array;
}

/** Looks up the push object list of a push setup, whose first entry is the push setup; undefined when unknown. */
export type PushListOf = (pushSetup: Obis) => readonly PushedObject[] | undefined;

const pushObjectList = pushSetupV1.attributes.pushObjectList.codec;

/**
 * Pairs the values of a notification body with their attributes. The first value is either the push object list or the logical name of the
 * push setup, whose list `listOf` provides. Undefined for any other body, and when the number of values differs from the list.
 * @spec BB 4 (push_object_list)
 */
export function pushedValues(body: Uint8Array, listOf: PushListOf): PushedValue[] | undefined {
  try {
    const parts = membersOf(body);
    const [first] = parts;
    const list = first && listIn(first, listOf);
    if (list?.[0]?.classId !== pushSetup.id || list.length !== parts.length) return undefined;
    return list.map((object, index) => ({ object, octets: parts[index] as Uint8Array })); // as: as many as the list has
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function membersOf(body: Uint8Array): Uint8Array[] {
  const input = new ByteReader(body);
  const members: Uint8Array[] = [];
  input.expect(TAG.structure);
  for (let left = input.length(); left > 0; left--) members.push(rawData.read(input));
  input.done();
  return members;
}

const listIn = (first: Uint8Array, listOf: PushListOf): readonly PushedObject[] | undefined =>
  first[0] === TAG.array ? decode(pushObjectList, first) : listOf(decode(logicalName, first));
