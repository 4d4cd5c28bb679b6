import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeAnnouncement } from '@hes/dlms/framing/announcement.ts';
import { encodeMbusMessage } from '@hes/dlms/framing/mbus/message.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { Faults } from '#control/faults.ts';
import type { PushWay } from '#world/plan.ts';
import { confirmedIn } from './alarm.ts';
import { announcementOf, wrappedPushOf } from './device-line.ts';
import { FaultyWriter, withFlippedBit } from './faulty-writer.ts';

const FRAME_TIMEOUT_MS = 30_000;
const SERVER = 1;
/** Client SAP 103 of consumer ports, and the broadcast address, because a consumer port has one listener. @spec IEC 62056-7-3 */
const MBUS = { address: 0xff, source: SERVER, destination: 103 };

/** Where pushes go. */
export interface PushTarget {
  host: string;
  /** TCP. */
  port: number;
  /** Undefined: the head-end has no port for datagrams. */
  udpPort?: number | undefined;
}

interface PushLineOptions {
  sn: string;
  faults: Faults;
  target: PushTarget;
  /** The head-end has confirmed the push of this number. */
  onConfirmed(number: number): void;
}

/** The way of pushes apart from a connection for requests, with the faults of the line. */
export interface PushLine {
  /** False: the head-end cannot be reached this way. */
  send(apdu: Uint8Array): boolean;
  stop(): void;
}

const FRAMES = {
  mbus_tcp: (apdu) => encodeMbusMessage({ ...MBUS, apdu }),
  mbus_udp: (apdu) => encodeMbusMessage({ ...MBUS, apdu }),
  wrapper_udp: wrappedPushOf,
  hdlc_udp: announcementOf,
} satisfies Record<PushWay, (apdu: Uint8Array) => Uint8Array>;

export function openPushLine(way: PushWay, options: PushLineOptions): PushLine {
  const carrier = way === 'mbus_tcp' ? overTcp(options) : overUdp(options);
  return { send: (apdu) => carrier.send(FRAMES[way](apdu)), stop: () => carrier.stop() };
}

/** A gateway box that keeps its connection, and opens another one for the next push after it was lost. */
function overTcp({ sn, faults, target, onConfirmed }: PushLineOptions): PushLine {
  let open: { socket: Socket; writer: FaultyWriter } | undefined;
  function dial(): { socket: Socket; writer: FaultyWriter } {
    const socket = connect({ host: target.host, port: target.port });
    const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS, framing: 'mbus' });
    const dialled = { socket, writer: new FaultyWriter(faults, sn, socket) };
    connection.onFrame(({ apdu }) => tellConfirmed(apdu, onConfirmed));
    connection.onClose(() => {
      if (open === dialled) open = undefined;
    });
    return dialled;
  }
  return {
    send(frames) {
      open ??= dial();
      open.writer.send(frames);
      return true;
    },
    stop: () => open?.socket.destroy(),
  };
}

/** Datagrams are lost or damaged as a whole. */
function overUdp({ sn, faults, target, onConfirmed }: PushLineOptions): PushLine {
  const socket = createSocket('udp4');
  socket.unref();
  socket.on('error', () => {}); // A head-end that is away refuses datagrams.
  socket.on('message', (octets) => {
    const apdu = apduIn(octets);
    if (apdu !== undefined) tellConfirmed(apdu, onConfirmed);
  });
  return {
    send(frames) {
      const { host, udpPort } = target;
      if (udpPort === undefined) return false;
      if (faults.strike(sn, 'drop') !== undefined) return true;
      const whole = faults.strike(sn, 'line_noise') === undefined ? frames : withFlippedBit(frames);
      const octets = faults.strike(sn, 'torn') === undefined ? whole : whole.subarray(0, Math.ceil(whole.length / 2));
      const times = faults.strike(sn, 'twice') === undefined ? 1 : 2;
      for (let time = 0; time < times; time++) socket.send(octets, udpPort, host, () => {});
      return true;
    },
    stop: () => socket.close(),
  };
}

function tellConfirmed(apdu: Uint8Array, onConfirmed: (number: number) => void): void {
  const number = confirmedIn(apdu);
  if (number !== undefined) onConfirmed(number);
}

function apduIn(octets: Buffer): Uint8Array | undefined {
  try {
    return decodeAnnouncement(Uint8Array.from(octets)).apdu;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
