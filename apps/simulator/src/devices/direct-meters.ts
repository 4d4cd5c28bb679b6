import type { MeterPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { dialIn, type HeadEndAddress } from './dial-in.ts';
import { DirectMeter } from './direct-meter.ts';

/** The direct meters of a fleet, each with the connection that it keeps. Without a head-end none dials. */
export class DirectMeters {
  readonly #context: FleetContext;
  readonly #headEnd: HeadEndAddress | undefined;
  readonly #meters = new Map<string, DirectMeter>();
  readonly #lines = new Map<string, { stop(): void }>();

  constructor(context: FleetContext, headEnd: HeadEndAddress | undefined) {
    this.#context = context;
    this.#headEnd = headEnd;
    for (const plan of context.world.plan.meters) if (plan.isDirect === true) this.#meters.set(plan.sn, new DirectMeter(context, plan));
  }

  /** Starts the connections. */
  dial(): void {
    for (const meter of this.#meters.values()) this.#connect(meter);
  }

  get(sn: string): DirectMeter | undefined {
    return this.#meters.get(sn);
  }

  all(): Iterable<DirectMeter> {
    return this.#meters.values();
  }

  /** The modem of the former meter goes with it, and that of its successor calls under its own serial number. */
  replace(formerSn: string, successor: MeterPlan): void {
    this.#lines.get(formerSn)?.stop();
    const meter = new DirectMeter(this.#context, successor);
    this.#meters.set(meter.sn, meter);
    this.#connect(meter);
  }

  stop(): void {
    for (const line of this.#lines.values()) line.stop();
  }

  #connect(meter: DirectMeter): void {
    if (this.#headEnd !== undefined) this.#lines.set(meter.sn, dialIn(this.#context, meter, this.#headEnd));
  }
}
