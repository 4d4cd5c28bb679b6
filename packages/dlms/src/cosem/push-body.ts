import { ByteReader } from '../codec/byte-reader.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { pushSetup, pushSetupV1 } from './classes/push-setup.ts';
import { logicalName, rawData } from './data.ts';
import { TAG } from './data-scalars.ts';
import type { Obis } from './obis.ts';
import type { RestrictedCaptureObject } from './restricted-capture-object.ts';

/** An attribute in a push object list, or the part of it that the list restricts it to. */
export type PushedObject = Pick<RestrictedCaptureObject, 'classId' | 'instance' | 'attributeId'> &
  Partial<Pick<RestrictedCaptureObject, 'dataIndex' | 'columns'>>;

/** One value that a device sent by itself. */
export interface PushedValue {
  object: PushedObject;
  /** One encoded Data: a view into the body. */
  octets: Uint8Array;
}

/** The push object list of a push setup as somebody knows it, the push setup itself first; undefined: nobody does. */
export type PushListOf = (pushSetup: Obis) => readonly PushedObject[] | undefined;

const pushObjectList = pushSetupV1.attributes.pushObjectList.codec;

/**
 * The values of a notification's body, each with the attribute it is of, by what the first of them says: the push object list
 * itself, or the name of the push setup whose list is known to `listOf`. Undefined for every other body, and for one with
 * another number of values than its list has: what is not described is not guessed.
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
