/**
 * Meters over sockets, with the ciphers of Node.
 * @module dlms-node
 */
export * from './meter.ts';
export { ClientSession, connectSession, type SessionOptions } from '../client-session.ts';
export { SessionError } from '../session-error.ts';
export { nodeCipher } from '../node-cipher.ts';
export { openHdlc, type HdlcOptions } from '../hdlc-carrier.ts';
export { openOpticalPort, type SerialLine } from '../mode-e-port.ts';
export type { ApduCarrier } from '../apdu-carrier.ts';
export type { DeviceOf } from '../answering.ts';
export { serveDevices, type DeviceServer, type DeviceServerOptions } from '../device-server.ts';
export { DlmsConnection, type CloseReason, type DlmsConnectionOptions } from '../dlms-connection.ts';
export type { DlmsFrame, FrameReport } from '../framing.ts';
export { PushListener, type PushListenerOptions, type ReceivedPush } from '../push-listener.ts';
