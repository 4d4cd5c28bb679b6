import type { Duplex } from 'node:stream';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { ALL_STATION_SAP, encodeHdlcBroadcast } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { DEFAULT_PARAMETERS, type HdlcParameters } from '@hes/dlms/framing/hdlc/parameters.ts';
import type { ApduCarrier } from './apdu-carrier.ts';
import { HdlcLine, QUIET_MS, readHdlcFrames } from './hdlc-line.ts';
import { SessionError } from './session-error.ts';

export interface HdlcOptions {
  clientSap: number;
  /** The logical device. */
  serverSap: number;
  /** The physical device, on a shared line. */
  physicalAddress?: number | undefined;
  /** Length of the server address in octets, for servers that accept one length only. */
  addressSize?: 1 | 2 | 4 | undefined;
  /** Proposed parameters; default to 128 octets and a window of 1. */
  parameters?: Partial<HdlcParameters> | undefined;
  /** Retransmissions before the server counts as unreachable; defaults to 3. */
  retries?: number | undefined;
  /** Idle milliseconds after which an incomplete frame is dropped; defaults to 500. */
  quietMs?: number | undefined;
}

const RETRIES = 3;
const HINT = '; are the addresses right, and does the peer use HDLC, not wrapper frames?';

/** Sends to all servers of a line, without a link; nothing is received. */
function broadcastCarrier(stream: Duplex, { clientSap, addressSize }: HdlcOptions): ApduCarrier {
  let tellClosed: (why: string) => void = () => {};
  stream.on('error', (error) => tellClosed(error.message));
  stream.on('close', () => tellClosed('the connection is gone'));
  stream.resume();
  return {
    send: (apdu) => void stream.write(encodeHdlcBroadcast(clientSap, apdu, addressSize)),
    onApdu: () => {},
    onClose: (listener) => (tellClosed = listener),
    close: () => void stream.end(),
  };
}

/**
 * Opens an HDLC link over a stream: a socket to a converter or modem, or a serial port. The link owns the stream from then on. `timeoutMs`
 * covers a response with all retransmissions. For `ALL_STATION_SAP` there is no link: each APDU is sent in one UI frame. Fails with `SessionError`.
 */
export function openHdlc(stream: Duplex, options: HdlcOptions & { timeoutMs: number }): Promise<ApduCarrier> {
  if (options.serverSap === ALL_STATION_SAP) return Promise.resolve(broadcastCarrier(stream, options));
  const { clientSap, serverSap, physicalAddress, addressSize, parameters, retries = RETRIES, quietMs = QUIET_MS, timeoutMs } = options;
  const patienceMs = Math.ceil(timeoutMs / (retries + 1));
  const line = new HdlcLine({
    link: createLink({
      role: 'client',
      own: clientAddress(clientSap),
      peer: serverAddress(serverSap, physicalAddress, addressSize),
      parameters: { ...DEFAULT_PARAMETERS, ...parameters },
      retries,
    }),
    timeoutMs: patienceMs,
    write: (octets) => void stream.write(octets),
  });
  let tellClosed: (why: string) => void = () => {};
  let end: string | undefined;
  const closed = (why: string): void => {
    if (end !== undefined) return;
    end = why;
    line.stop();
    stream.destroy();
    tellClosed(why);
  };
  readHdlcFrames(stream, quietMs, (frame) => end === undefined && line.take(frame));
  stream.on('error', (error) => closed(error.message));
  stream.on('end', () => closed('the peer closed the connection'));
  stream.on('close', () => closed('the connection is gone'));
  line.onEnd(closed);

  return new Promise((resolve, reject) => {
    tellClosed = (why) => reject(new SessionError('NOT_REACHABLE', `no HDLC link: ${why}${why === 'NO_ANSWER' ? HINT : ''}`));
    line.onConnected(() => {
      tellClosed = () => {};
      resolve({
        send: (apdu) => line.isConnected && line.send(apdu),
        poll: () => line.poll(),
        onApdu: (listener) => line.onMessage(listener),
        onClose: (listener) => {
          tellClosed = listener;
          if (end !== undefined) listener(end);
        },
        close: () => line.disconnect(),
      });
    });
    line.connect();
  });
}
