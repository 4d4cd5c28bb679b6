import type { Socket } from 'node:net';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { MeterPlan } from '#world/plan.ts';
import { confirmedIn } from './alarm.ts';
import type { FleetContext } from './context.ts';
import { FaultyWriter } from './faulty-writer.ts';
import { encodeIdentification } from './identification.ts';
import { titleOfMeter } from './keys.ts';
import { createMeter, type Meter } from './meter.ts';

const UNSOLICITED = { source: 1, destination: 1 };
const FRAME_TIMEOUT_MS = 30_000;
const DEFAULT_DELAY_MS = 2000;

/** A device that serves a head-end over a connection of its own: a DCU or a direct meter. */
export interface ConnectedDevice {
  readonly sn: string;
  serve(socket: Socket): void;
  sendIdentification(kind: 'hello' | 'heartbeat'): void;
  isConnected(): boolean;
  disconnect(): void;
  stop(): void;
}

/** A meter with a modem of its own, over one connection at a time. Faults of the line strike it as they strike a DCU. */
export class DirectMeter implements ConnectedDevice {
  readonly sn: string;
  readonly meter: Meter;
  readonly #context: FleetContext;
  readonly #systemTitle: Uint8Array;
  #current: { connection: DlmsConnection; writer: FaultyWriter } | undefined;
  #identifications = 0;

  constructor(context: FleetContext, plan: MeterPlan) {
    this.sn = plan.sn;
    this.meter = createMeter(context, plan, () => this.disconnect());
    this.#context = context;
    this.#systemTitle = titleOfMeter(plan);
  }

  /** Serves a head-end over a socket until it closes. A meter that restarts has no connection. */
  serve(socket: Socket): void {
    if (performance.now() < (this.#context.firmware.find('meter', this.sn)?.awayUntil ?? 0)) return void socket.destroy();
    this.disconnect();
    const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
    const current = { connection, writer: new FaultyWriter(this.#context.faults, this.sn, socket) };
    this.#current = current;
    connection.onFrame((frame) => this.#receive(frame, socket, current));
    connection.onClose(() => {
      if (this.#current !== current) return;
      this.#current = undefined;
      this.meter.disconnect();
    });
  }

  sendIdentification(kind: 'hello' | 'heartbeat'): void {
    const { faults } = this.#context;
    const isMute = (['mute_heartbeat', 'half_open', 'silence'] as const).some((fault) => faults.has(this.sn, fault));
    if (kind === 'heartbeat' && isMute) return;
    this.#send(encodeIdentification(kind, this.sn, this.#systemTitle, this.#identifications++));
  }

  /** Sends a push of the meter; false if it is away or no head-end is connected. */
  push(number: number): boolean {
    const apdu = this.meter.push(number);
    if (apdu === undefined || this.#current === undefined) return false;
    this.#context.oracle?.recordPush(this.sn, 'pushed', number);
    this.#send(apdu);
    return true;
  }

  sendAlarms(numbers: readonly number[]): void {
    for (const number of numbers) {
      this.#context.oracle?.recordPush(this.sn, 'pushed', number);
      this.#send(this.meter.alarm(number));
    }
  }

  isConnected(): boolean {
    return this.#current !== undefined;
  }

  disconnect(): void {
    this.#current?.connection.close();
  }

  stop(): void {
    this.disconnect();
  }

  #send(apdu: Uint8Array): void {
    this.#current?.writer.send(encodeWrapper(UNSOLICITED, apdu));
  }

  #receive(frame: WrapperFrame, socket: Socket, { connection, writer }: { connection: DlmsConnection; writer: FaultyWriter }): void {
    const { faults, oracle } = this.#context;
    oracle?.recordRequest(this.sn, frame.apdu);
    if (faults.strike(this.sn, 'half_open')) return;
    const confirmed = confirmedIn(frame.apdu);
    if (confirmed !== undefined) return oracle?.recordPush(this.sn, 'confirmed', confirmed);
    if (faults.strike(this.sn, 'cut')) return connection.close();
    // The octets are a view of the socket's buffer, which is reused before a delayed response is sent.
    const answer = this.meter.receive(frame.source, frame.apdu.slice());
    if (faults.strike(this.sn, 'cut_after')) return connection.close();
    if (answer === undefined) return;
    const octets = encodeWrapper({ source: frame.destination, destination: frame.source }, answer);
    const slow = faults.strike(this.sn, 'slow');
    if (slow === undefined) writer.send(octets);
    else setTimeout(() => !socket.destroyed && writer.send(octets), slow.delayMs ?? DEFAULT_DELAY_MS);
  }
}
