import { objectKey, type ServerObject } from '../association/server-options.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import type { Obis } from '../cosem/obis.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
import type { DescribedObject } from './server-object.ts';

/** All objects of a logical device and their references: profiles to columns, scripts to targets. */
export class ObjectModel {
  readonly #objects = new Map<string, DescribedObject>();

  /** Adds objects; class and logical name must be unique. */
  add(...objects: readonly DescribedObject[]): void {
    for (const object of objects) {
      const key = objectKey(object.classId, object.instance);
      if (this.#objects.has(key)) throw new Error(`There is a ${key} already`);
      this.#objects.set(key, object);
    }
  }

  get objects(): DescribedObject[] {
    return [...this.#objects.values()];
  }

  /** For `LogicalDeviceOptions.objects`. */
  readonly find = (classId: number, instance: Obis): ServerObject | undefined => this.#objects.get(objectKey(classId, instance));

  /** The value of an attribute, or the reason for its absence. */
  value(classId: number, instance: Obis, attributeId: number): Data | DataAccessResult {
    const encoded = this.find(classId, instance)?.read(attributeId) ?? 'objectUndefined';
    return typeof encoded === 'string' ? encoded : decode(dataCodec, encoded);
  }

  /** Writes as the device itself, without client access checks. */
  write(classId: number, instance: Obis, attributeId: number, data: Data): DataAccessResult {
    return catchTypeErrors(() => this.find(classId, instance)?.write?.(attributeId, data) ?? 'objectUndefined');
  }

  /** Invokes as the device itself, without client access checks. */
  invoke(classId: number, instance: Obis, methodId: number, argument: Data): ActionResult {
    return catchTypeErrors(() => this.find(classId, instance)?.invoke?.(methodId, argument).result ?? 'objectUndefined');
  }
}

function catchTypeErrors<T>(attempt: () => T): T | 'typeUnmatched' {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return 'typeUnmatched';
    throw error;
  }
}
