import type { MeterPlan } from '#world/plan.ts';
import type { DialAddress } from '#control/commissioning.ts';
import type { FleetContext } from './context.ts';
import { dialIn } from './dial-in.ts';
import { DirectMeter } from './direct-meter.ts';
import { listen } from './listen.ts';
import { openPushLine, type PushLine, type PushTarget } from './push-line.ts';

/** The direct meters of a fleet, each with the connection that it keeps or the port at which it is dialled. Without a head-end none dials. */
export class DirectMeters {
  readonly #context: FleetContext;
  readonly #headEnd: PushTarget | undefined;
  readonly #meters = new Map<string, DirectMeter>();
  readonly #lines = new Map<string, { stop(): unknown }>();
  readonly #pushLines = new Map<string, PushLine>();
  readonly #addresses = new Map<string, DialAddress>();

  constructor(context: FleetContext, headEnd: PushTarget | undefined) {
    this.#context = context;
    this.#headEnd = headEnd;
    for (const plan of context.world.plan.meters) if (plan.isDirect === true) this.#meters.set(plan.sn, new DirectMeter(context, plan));
  }

  /** Opens the ports of the dialled ones, from a first one on; 0: any free port. */
  async listen(firstPort: number): Promise<void> {
    for (const meter of this.#meters.values())
      if (meter.isDialled) await this.#listen(meter, firstPort === 0 ? 0 : firstPort + this.#addresses.size);
  }

  /** Starts the connections of those that dial in, and the ways of those that push in another one. */
  dial(): void {
    for (const meter of this.#meters.values()) this.#connect(meter);
  }

  /** Undefined: it is not dialled. */
  addressOf(sn: string): DialAddress | undefined {
    return this.#addresses.get(sn);
  }

  get(sn: string): DirectMeter | undefined {
    return this.#meters.get(sn);
  }

  all(): Iterable<DirectMeter> {
    return this.#meters.values();
  }

  /** Sends a push of the meter; false if there is none, it is away, or no head-end is connected. */
  push(sn: string, number: number): boolean {
    const line = this.#pushLines.get(sn);
    const meter = this.#meters.get(sn);
    if (line === undefined || meter === undefined) return meter?.push(number) ?? false;
    const apdu = meter.meter.push(number);
    if (apdu === undefined || !line.send(apdu)) return false;
    this.#context.oracle?.recordPush(sn, 'pushed', number);
    return true;
  }

  /** The modem of the former meter goes with it. That of its successor calls under its own serial number, or is dialled at the same port. */
  async replace(formerSn: string, successor: MeterPlan): Promise<void> {
    const { port = 0 } = this.#addresses.get(formerSn) ?? {};
    const stopped = this.#lines.get(formerSn)?.stop();
    this.#pushLines.get(formerSn)?.stop();
    this.#pushLines.delete(formerSn);
    const meter = new DirectMeter(this.#context, successor);
    this.#meters.set(meter.sn, meter);
    this.#connect(meter);
    await stopped;
    if (meter.isDialled) await this.#listen(meter, port);
  }

  async stop(): Promise<void> {
    for (const line of this.#pushLines.values()) line.stop();
    await Promise.all([...this.#lines.values()].map((line) => line.stop()));
  }

  async #listen(meter: DirectMeter, port: number): Promise<void> {
    const { stop, ...address } = await listen(meter, port, this.#context.tlsFolder);
    this.#lines.set(meter.sn, { stop });
    this.#addresses.set(meter.sn, address);
  }

  #connect(meter: DirectMeter): void {
    const { sn, pushes } = meter.meter.plan;
    if (this.#headEnd === undefined) return;
    if (!meter.isDialled) this.#lines.set(sn, dialIn(this.#context, meter, this.#headEnd));
    if (pushes === undefined) return;
    const { faults, oracle } = this.#context;
    const onConfirmed = (number: number) => oracle?.recordPush(sn, 'confirmed', number);
    this.#pushLines.set(sn, openPushLine(pushes, { sn, faults, target: this.#headEnd, onConfirmed }));
  }
}
