import { objectKey, type ServerObject } from '../association/server-options.ts';
import { decode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import type { Obis } from '../cosem/obis.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
import type { DescribedObject } from './server-object.ts';

/** All objects of a logical device, and how they use each other: a profile its columns, a script its targets. */
export class ObjectModel {
  readonly #objects = new Map<string, DescribedObject>();

  /** Adds objects; a class and a name are there once. */
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

  /** The value of an attribute, or why there is none. */
  value(classId: number, instance: Obis, attributeId: number): Data | DataAccessResult {
    const encoded = this.find(classId, instance)?.read(attributeId) ?? 'objectUndefined';
    return typeof encoded === 'string' ? encoded : decode(dataCodec, encoded);
  }

  /** Writes on behalf of the device itself: no client's rights stand in its way. */
  write(classId: number, instance: Obis, attributeId: number, data: Data): DataAccessResult {
    return typed(() => this.find(classId, instance)?.write?.(attributeId, data) ?? 'objectUndefined');
  }

  /** Invokes on behalf of the device itself. */
  invoke(classId: number, instance: Obis, methodId: number, argument: Data): ActionResult {
    return typed(() => this.find(classId, instance)?.invoke?.(methodId, argument).result ?? 'objectUndefined');
  }
}

function typed<T>(attempt: () => T): T | 'typeUnmatched' {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof DecodeError) return 'typeUnmatched';
    throw error;
  }
}
