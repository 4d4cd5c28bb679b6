import type { ValueOf } from '../codec/codec.ts';
import { integer, logicalName, longUnsigned, structure } from './data.ts';

/** A script of a script table. @spec BB 4 (action) */
export const scriptReference = structure({ instance: logicalName, selector: longUnsigned });
export type ScriptReference = ValueOf<typeof scriptReference>;

/** A monitored attribute. @spec BB 4 (value_definition) */
export const watchedAttribute = structure({ classId: longUnsigned, instance: logicalName, attributeId: integer });
export type WatchedAttribute = ValueOf<typeof watchedAttribute>;
