import { flag, mapped, octets, optional, prefixed, sequence, uint16, uint8, type Codec, type ValueOf } from '../codec/codec.ts';
import { conformance } from './conformance.ts';

/** BOOLEAN DEFAULT TRUE. */
const defaultTrue: Codec<boolean> = mapped(
  optional(flag),
  (value) => value ?? true,
  (value) => (value ? undefined : false),
);

export const DLMS_VERSION = 6;

/** `vaa-name` of a server with logical name referencing. */
export const VAA_NAME_LN = 0x0007;
/** `vaa-name` of a server with short name referencing: the base name of the current association. */
export const VAA_NAME_SN = 0xfa00;

/**
 * ```asn1
 * InitiateRequest ::= SEQUENCE {
 *   dedicated-key                   OCTET STRING OPTIONAL,
 *   response-allowed                BOOLEAN DEFAULT TRUE,
 *   proposed-quality-of-service     [0] IMPLICIT Integer8 OPTIONAL,
 *   proposed-dlms-version-number    Unsigned8,
 *   proposed-conformance            Conformance,
 *   client-max-receive-pdu-size     Unsigned16 }
 * ```
 * @spec GB 9.5 (initiateRequest [1])
 */
export const initiateRequest = prefixed(
  0x01,
  sequence({
    dedicatedKey: optional(octets),
    responseAllowed: defaultTrue,
    qualityOfService: optional(uint8),
    dlmsVersion: uint8,
    conformance,
    maxPduSize: uint16,
  }),
);
export type InitiateRequest = ValueOf<typeof initiateRequest>;

/**
 * ```asn1
 * InitiateResponse ::= SEQUENCE {
 *   negotiated-quality-of-service  [0] IMPLICIT Integer8 OPTIONAL,
 *   negotiated-dlms-version-number Unsigned8,
 *   negotiated-conformance         Conformance,
 *   server-max-receive-pdu-size    Unsigned16,    -- 0: no limit
 *   vaa-name                       ObjectName }   -- Integer16: 0x0007 LN, 0xFA00 SN
 * ```
 * @spec GB 9.5 (initiateResponse [8])
 */
export const initiateResponse = prefixed(
  0x08,
  sequence({ qualityOfService: optional(uint8), dlmsVersion: uint8, conformance, maxPduSize: uint16, vaaName: uint16 }),
);
export type InitiateResponse = ValueOf<typeof initiateResponse>;
