import { int8, optional, sequence, uint16, uint8, type Codec, type ValueOf } from '../codec/codec.ts';
import { dataCodec } from '../cosem/data.ts';
import { obisCodec } from '../cosem/obis.ts';
import type { Selection } from '../cosem/selective-access.ts';

/**
 * ```asn1
 * Cosem-Attribute-Descriptor ::= SEQUENCE {
 *   class-id     Cosem-Class-Id,               -- Unsigned16
 *   instance-id  Cosem-Object-Instance-Id,
 *   attribute-id Cosem-Object-Attribute-Id }   -- Integer8
 * ```
 * @spec GB 9.5
 */
export const attributeDescriptor = sequence({ classId: uint16, instance: obisCodec, attributeId: int8 });
export type AttributeDescriptor = ValueOf<typeof attributeDescriptor>;

/**
 * ```asn1
 * Cosem-Method-Descriptor ::= SEQUENCE {
 *   class-id    Cosem-Class-Id,
 *   instance-id Cosem-Object-Instance-Id,
 *   method-id   Cosem-Object-Method-Id }       -- Integer8
 * ```
 * @spec GB 9.5
 */
export const methodDescriptor = sequence({ classId: uint16, instance: obisCodec, methodId: int8 });
export type MethodDescriptor = ValueOf<typeof methodDescriptor>;

/**
 * ```asn1
 * Selective-Access-Descriptor ::= SEQUENCE { access-selector Unsigned8, access-parameters Data }
 * ```
 * @spec GB 9.5
 */
export const selectiveAccess: Codec<Selection> = sequence({ selector: uint8, parameters: dataCodec });

/**
 * ```asn1
 * Cosem-Attribute-Descriptor-With-Selection ::= SEQUENCE {
 *   cosem-attribute-descriptor Cosem-Attribute-Descriptor,
 *   access-selection           Selective-Access-Descriptor OPTIONAL }
 * ```
 * @spec GB 9.5
 */
export const selectedAttribute = sequence({ attribute: attributeDescriptor, selection: optional(selectiveAccess) });
export type SelectedAttribute = ValueOf<typeof selectedAttribute>;

/** Minimum encoded size of a selected attribute and of a method, for checking counts. */
export const DESCRIPTOR_SIZE = { selectedAttribute: 10, method: 9 } as const;
