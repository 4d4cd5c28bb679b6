import type { Duplex } from 'node:stream';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { DEFAULT_PARAMETERS, type HdlcParameters } from '@hes/dlms/framing/hdlc/parameters.ts';
import type { ApduCarrier } from './apdu-carrier.ts';
import { HdlcLine, QUIET_MS, readHdlcFrames } from './hdlc-line.ts';
import { SessionError } from './session-error.ts';

export interface HdlcOptions {
  clientSap: number;
  /** The logical device. */
  serverSap: number;
  /** The physical device, where several share a line. */
  physicalAddress?: number | undefined;
  /** Octets of the server's address, if it answers to one size only. */
  addressSize?: 1 | 2 | 4 | undefined;
  /** What is proposed; 128 octets and a window of 1 when not said. */
  parameters?: Partial<HdlcParameters> | undefined;
  /** How often the same is said again before the server counts as silent; 3 when not said. */
  retries?: number | undefined;
  /** After how many milliseconds without an octet an unfinished frame is given up; 500 when not said. */
  quietMs?: number | undefined;
}

const RETRIES = 3;
const HINT = '; are the addresses right, and does the peer use HDLC, not wrapper frames?';

/**
 * Opens an HDLC link over a stream: a socket to a converter or a modem, a serial port. The stream belongs to the link
 * from then on. `timeoutMs` is for an answer with all its repetitions. Fails with `SessionError`.
 */
export function openHdlc(stream: Duplex, options: HdlcOptions & { timeoutMs: number }): Promise<ApduCarrier> {
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
