import type { Socket } from 'node:net';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { encodeHdlcFrame, type HdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { createLink } from '@hes/dlms/framing/hdlc/link-state.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { encodeWrapper, type WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { HdlcLine, QUIET_MS, readHdlcFrames } from '@hes/dlms-node/hdlc-line.ts';
import type { Faults } from '#control/faults.ts';
import { FaultyWriter, OVERLONG } from './faulty-writer.ts';

const FRAME_TIMEOUT_MS = 30_000;
/** The default of HDLC setup objects. */
const INACTIVITY_MS = 120_000;
const HDLC_PARAMETERS = { maxInformationTransmit: 512, maxInformationReceive: 512, windowTransmit: 1, windowReceive: 1 };
const UNSOLICITED = { source: 1, destination: 1 };

interface DeviceLineOptions {
  faults: Faults;
  sn: string;
  onRequest(request: { from: WrapperAddress; apdu: Uint8Array }): void;
  onClose(): void;
}

/** A connection of a device to the head-end in one framing, with the faults of the line. */
export interface DeviceLine {
  /** Sends the response to a request; undefined: there is none. */
  answer(to: WrapperAddress, apdu: Uint8Array | undefined): void;
  /** Sends an unsolicited message. */
  push(apdu: Uint8Array): void;
  close(): void;
}

export function openWrapperLine(socket: Socket, { faults, sn, onRequest, onClose }: DeviceLineOptions): DeviceLine {
  const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
  const writer = new FaultyWriter(faults, sn, socket);
  connection.onFrame(({ source, destination, apdu }) => onRequest({ from: { source, destination }, apdu }));
  connection.onClose(onClose);
  return {
    answer({ source, destination }, apdu) {
      if (apdu !== undefined) writer.send(encodeWrapper({ source: destination, destination: source }, apdu));
    },
    push: (apdu) => writer.send(wrappedPushOf(apdu)),
    close: () => connection.close(),
  };
}

/** Serves a link for each pair of addresses; pushes go in UI frames, which need none. */
export function openHdlcLine(socket: Socket, { faults, sn, onRequest, onClose }: DeviceLineOptions): DeviceLine {
  const writer = new FaultyWriter(faults, sn, socket, OVERLONG.hdlc);
  const links = new Map<string, HdlcLine>();
  const keyOf = ({ source, destination }: WrapperAddress): string => `${source}/${destination}`;
  function linkOf({ source: peer, destination: own }: HdlcFrame): HdlcLine {
    const from = { source: peer.upper, destination: own.upper };
    const known = links.get(keyOf(from));
    if (known !== undefined) return known;
    const link = new HdlcLine({
      link: createLink({ role: 'server', own, peer, parameters: HDLC_PARAMETERS }),
      timeoutMs: INACTIVITY_MS,
      write: (octets) => writer.send(octets),
    });
    link.onMessage((apdu) => onRequest({ from, apdu }));
    links.set(keyOf(from), link);
    return link;
  }
  readHdlcFrames(socket, QUIET_MS, (frame) => {
    // A silent device does not acknowledge frames either.
    if (faults.strike(sn, 'half_open') === undefined && faults.strike(sn, 'silence') === undefined) linkOf(frame).take(frame);
  });
  socket.setNoDelay(true);
  socket.on('error', () => {}); // The close event that follows ends the line.
  socket.once('end', () => socket.end());
  socket.once('close', () => {
    for (const link of links.values()) link.stop();
    onClose();
  });
  return {
    answer(to, apdu) {
      const link = links.get(keyOf(to));
      if (link?.isConnected !== true) return;
      if (apdu === undefined) link.pass();
      else link.send(apdu);
    },
    push: (apdu) => writer.send(announcementOf(apdu)),
    close: () => socket.destroy(),
  };
}

/** A message in a wrapper frame. */
export const wrappedPushOf = (apdu: Uint8Array): Uint8Array => encodeWrapper(UNSOLICITED, apdu);

/** A message in a UI frame, which needs no link. */
export const announcementOf = (apdu: Uint8Array): Uint8Array =>
  encodeHdlcFrame({
    destination: clientAddress(UNSOLICITED.destination),
    source: serverAddress(UNSOLICITED.source),
    control: { kind: 'ui', pollFinal: false },
    segmented: false,
    information: addLlc('response', apdu),
  });
