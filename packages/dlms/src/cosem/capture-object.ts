import type { ValueOf } from '../codec/codec.ts';
import { integer, logicalName, longUnsigned, structure } from './data.ts';

/**
 * One column of a profile. Attribute −1 (255) is seen in Kamstrup meters; index 0 means the whole attribute.
 * @spec BB 4 (capture_object_definition)
 */
export const captureObject = structure({ classId: longUnsigned, instance: logicalName, attributeId: integer, dataIndex: longUnsigned });
export type CaptureObject = ValueOf<typeof captureObject>;
