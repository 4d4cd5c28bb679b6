/**
 * Values, names, dates, frames decoded into trees, and the errors of every other entry.
 * @module dlms
 */
export { annotate, type AnnotatedNode } from '../codec/annotate.ts';
export { decode, encode, type Codec, type ValueOf } from '../codec/codec.ts';
export { DecodeError, type DecodeFault } from '../codec/decode-error.ts';
export { fromHex, toHex } from '../codec/hex.ts';
export { COSEM_CLASSES, cosemClassOf } from '../catalogue/classes.ts';
export {
  objectListing,
  typedObjectList,
  type AccessProtection,
  type AttributeAccess,
  type AttributeRights,
  type ListedObject,
  type MethodAccess,
  type MethodRights,
  type ObjectListing,
} from '../catalogue/object-list.ts';
export type { CaptureObject } from '../cosem/capture-object.ts';
export {
  attribute,
  attributeName,
  cosemClass,
  method,
  methodName,
  type Attribute,
  type AttributeName,
  type AttributeValue,
  type CosemClass,
  type Method,
  type MethodArgument,
  type MethodName,
  type MethodResult,
} from '../cosem/cosem-class.ts';
export { dataCodec, dateTimeOctets, octetString } from '../cosem/data.ts';
export { numberIn, type Data, type DataType, type TypeDescription } from '../cosem/data-value.ts';
export { CLOCK_STATUS, dateTimeCodec, fromEpochMs, toEpochMs, type CosemDateTime } from '../cosem/date-time.ts';
export { obis, obisCodec, type Obis } from '../cosem/obis.ts';
export { decodeProfileBuffer, type ProfileColumns, type ProfileShape } from '../cosem/profile-buffer.ts';
export { expandRows, type ExpandedRow, type RowShape } from '../cosem/profile-rows.ts';
export { scaled } from '../cosem/scaled.ts';
export type { ScalerUnit } from '../cosem/scaler-unit.ts';
export { entrySelection, rangeSelection, type EntryQuery, type RangeQuery, type Selection } from '../cosem/selective-access.ts';
export { unitSymbol, UNIT_NONE, UNIT_OTHER, UNITS } from '../cosem/unit.ts';
export type { Cipher, SecuritySuite } from '../security/cipher.ts';
export { apduCodec, apduName, type Apdu, type ApduName } from '../xdlms/apdu.ts';
export { attributeRef, codecOf, isAttribute, methodRef, type CosemObject } from '../xdlms/cosem-object.ts';
export type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
export type { AttributeDescriptor, MethodDescriptor } from '../xdlms/descriptors.ts';
export { AssociationError, isRefusedRequest, type AssociationErrorCode } from '../association/association-error.ts';
