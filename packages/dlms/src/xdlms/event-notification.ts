import { optional, prefixed, sequence, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { attributeDescriptor } from './descriptors.ts';
import { optionalDateTime } from './optional-date-time.ts';

/**
 * ```asn1
 * EVENT-NOTIFICATION-Request ::= SEQUENCE {
 *   time                       OCTET STRING OPTIONAL,
 *   cosem-attribute-descriptor Cosem-Attribute-Descriptor,
 *   attribute-value            Data }
 * ```
 * @spec GB 9.5 (event-notification-request [194])
 */
export const eventNotification = prefixed(
  0xc2,
  sequence({ time: optional(optionalDateTime), attribute: attributeDescriptor, data: rawData }),
);
export type EventNotification = ValueOf<typeof eventNotification>;
