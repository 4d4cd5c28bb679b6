import type { Socket } from 'node:net';
import type { WrapperAddress } from '@hes/dlms/framing/wrapper.ts';
import type { MeterPlan } from '#world/plan.ts';
import { confirmedIn } from './alarm.ts';
import type { FleetContext } from './context.ts';
import { openHdlcLine, openWrapperLine, type DeviceLine } from './device-line.ts';
import { encodeIdentification } from './identification.ts';
import { titleOfMeter } from './keys.ts';
import { createMeter, type Meter } from './meter.ts';

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
  readonly isDialled: boolean;
  readonly #context: FleetContext;
  readonly #systemTitle: Uint8Array;
  readonly #openLine: typeof openHdlcLine;
  #current: DeviceLine | undefined;
  #identifications = 0;

  constructor(context: FleetContext, plan: MeterPlan) {
    this.sn = plan.sn;
    this.meter = createMeter(context, plan, () => this.disconnect());
    this.isDialled = plan.isDialled === true;
    this.#context = context;
    this.#systemTitle = titleOfMeter(plan);
    this.#openLine = plan.framing === 'hdlc' ? openHdlcLine : openWrapperLine;
  }

  /** Serves a head-end over a socket until it closes. A meter that restarts has no connection. */
  serve(socket: Socket): void {
    if (performance.now() < (this.#context.firmware.find('meter', this.sn)?.awayUntil ?? 0)) return void socket.destroy();
    this.disconnect();
    const line = this.#openLine(socket, {
      faults: this.#context.faults,
      sn: this.sn,
      onRequest: (request) => this.#receive(request, socket, line),
      onClose: () => {
        if (this.#current !== line) return;
        this.#current = undefined;
        this.meter.disconnect();
      },
    });
    this.#current = line;
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
    this.#current?.close();
  }

  stop(): void {
    this.disconnect();
  }

  #send(apdu: Uint8Array): void {
    this.#current?.push(apdu);
  }

  #receive({ from, apdu }: { from: WrapperAddress; apdu: Uint8Array }, socket: Socket, line: DeviceLine): void {
    const { faults, oracle } = this.#context;
    oracle?.recordRequest(this.sn, apdu);
    if (faults.strike(this.sn, 'half_open')) return;
    const confirmed = confirmedIn(apdu);
    if (confirmed !== undefined) return oracle?.recordPush(this.sn, 'confirmed', confirmed);
    if (faults.strike(this.sn, 'cut')) return line.close();
    // The octets are a view of the socket's buffer, which is reused before a delayed response is sent.
    const answer = this.meter.receive(from.source, apdu.slice());
    if (faults.strike(this.sn, 'cut_after')) return line.close();
    const slow = answer === undefined ? undefined : faults.strike(this.sn, 'slow');
    if (slow === undefined) line.answer(from, answer);
    else setTimeout(() => !socket.destroyed && line.answer(from, answer), slow.delayMs ?? DEFAULT_DELAY_MS);
  }
}
