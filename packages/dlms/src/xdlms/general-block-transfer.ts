import { mapped, octets, prefixed, sequence, uint16, uint8, type ValueOf } from '../codec/codec.ts';

const LAST_BLOCK = 0x80;
const STREAMING = 0x40;
const WINDOW_MASK = 0x3f;

/**
 * ```asn1
 * Block-Control ::= Unsigned8   -- bit 7 last block, bit 6 streaming, bits 0-5 window: what the sender can receive
 * ```
 * @spec GB 9.5
 */
const blockControl = mapped(
  uint8,
  (raw) => ({ lastBlock: (raw & LAST_BLOCK) !== 0, streaming: (raw & STREAMING) !== 0, window: raw & WINDOW_MASK }),
  (value) => (value.lastBlock ? LAST_BLOCK : 0) | (value.streaming ? STREAMING : 0) | (value.window & WINDOW_MASK),
);

/**
 * ```asn1
 * General-Block-Transfer ::= SEQUENCE {
 *   block-control    Block-Control,
 *   block-number     Unsigned16,
 *   block-number-ack Unsigned16,
 *   block-data       OCTET STRING }   -- a piece of an APDU, after its protection
 * ```
 * @spec GB 9.5 (general-block-transfer [224])
 */
export const generalBlockTransfer = prefixed(
  0xe0,
  sequence({ control: blockControl, blockNumber: uint16, blockNumberAck: uint16, data: octets }),
);
export type GeneralBlockTransfer = ValueOf<typeof generalBlockTransfer>;
