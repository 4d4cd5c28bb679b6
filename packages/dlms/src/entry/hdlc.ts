/**
 * HDLC frames and links, TCP wrapper and gateway header, without I/O.
 * @module dlms/hdlc
 */
export { decodeDatagram } from '../framing/datagram.ts';
export { decodeGateway, encodeGateway, type GatewayAddress, type GatewayFrame } from '../framing/gateway.ts';
export { clientAddress, serverAddress, type HdlcAddress } from '../framing/hdlc/address.ts';
export { ALL_STATION_SAP, encodeHdlcBroadcast } from '../framing/hdlc/broadcast.ts';
export { HdlcDeframer, type DeframedHdlc } from '../framing/hdlc/deframer.ts';
export { decodeHdlcFrame, encodeHdlcFrame, inspectFrame, type FrameFault, type HdlcFrame } from '../framing/hdlc/frame.ts';
export type { HdlcControl, HdlcKind } from '../framing/hdlc/control.ts';
export { stepLink } from '../framing/hdlc/link.ts';
export { createLink, LinkError, type LinkEnd, type LinkEvent, type LinkState, type LinkStep } from '../framing/hdlc/link-state.ts';
export { decodeIdentification, type ModeEIdentification } from '../framing/mode-e/identification.ts';
export {
  ModeEError,
  openModeE,
  type ModeEErrorCode,
  type ModeEOpening,
  type ModeEOptions,
  type ModeEStep,
} from '../framing/mode-e/opening.ts';
export { messageOf, type CarriedMessage } from '../framing/hdlc/message.ts';
export { DEFAULT_PARAMETERS, type HdlcParameters } from '../framing/hdlc/parameters.ts';
export { annotateWire, payloadOnWire, type AnnotatedWire } from '../framing/annotate-wire.ts';
export { encodeWrapper, WRAPPER_PORT, WrapperDeframer, type WrapperAddress, type WrapperFrame } from '../framing/wrapper.ts';
