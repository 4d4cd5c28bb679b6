import { setTimeout as wait } from 'node:timers/promises';
import type { Field } from '#field/start-field.ts';
import { msFromNow, msUntil } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Dispatcher } from '#tasks/dispatcher.ts';

const ROUND_MS = 50;
/** Devices whose connection is closed per round: 200 a second, so that the other nodes can identify them. */
const PER_ROUND = 10;

export interface DrainParts {
  field: Pick<Field, 'node' | 'connected' | 'closePort' | 'reopenPort'> & {
    reach: Pick<Field['reach'], 'onReachable'>;
  };
  dispatcher: Pick<Dispatcher, 'drain' | 'resume' | 'isBusy' | 'inFlight' | 'releaseLeases'>;
  log: Log;
  /** Time for exchanges that have begun. Items that need longer return to the queue, and other nodes execute them. */
  limitMs: number;
}

/**
 * Hands the work of this node over to others: it is not ready any more, claims nothing, accepts no device, finishes exchanges on the line, and
 * closes the connection of each device as soon as it has none. The console stays.
 */
export class Drain {
  readonly #parts: DrainParts;
  readonly #unsubscribe: (() => void)[];
  #running: Promise<void> | undefined;

  constructor(parts: DrainParts) {
    this.#parts = parts;
    const { node, connected, reach } = parts.field;
    this.#unsubscribe = [
      node.onDrain((isDraining) => void (isDraining ? this.#begin() : this.#resume()).catch((error: unknown) => this.#report(error))),
      // A device whose admission was under way when the port was closed.
      reach.onReachable((id) => node.isDraining && connected.handOver(id)),
    ];
  }

  /** Drains this node before its process stops. Returns at once if no other node takes work. */
  async beforeStop(): Promise<void> {
    const { node } = this.#parts.field;
    if (!node.hasSuccessor) return;
    // The listener of the node begins, unless it drains already.
    await node.drain();
    await this.#running;
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #report(error: unknown): void {
    this.#parts.log.error('This node could not be drained or resumed', { error });
  }

  #begin(): Promise<void> {
    return (this.#running ??= this.#handOver().finally(() => (this.#running = undefined)));
  }

  async #handOver(): Promise<void> {
    const { field, dispatcher, log, limitMs } = this.#parts;
    const { node, connected } = field;
    const devices = connected.ids.length;
    log.info('This node drains: its devices connect to other nodes', { devices });
    dispatcher.drain();
    field.closePort();
    const ends = msFromNow(limitMs);
    while (node.isDraining && msUntil(ends) > 0 && (connected.ids.length > 0 || dispatcher.inFlight > 0)) {
      const idle = connected.ids.filter((id) => !dispatcher.isBusy(id));
      for (const id of idle.slice(0, PER_ROUND)) connected.handOver(id);
      await wait(ROUND_MS);
    }
    if (!node.isDraining) return;
    // Before their connections close: a failure of the line must not become the result of an item.
    if (dispatcher.inFlight > 0) await dispatcher.releaseLeases();
    for (const id of connected.ids) connected.handOver(id);
    await connected.settle();
    await node.noteDrained(devices);
    log.info('This node is drained', { devices });
  }

  async #resume(): Promise<void> {
    await this.#running;
    const { field, dispatcher, log } = this.#parts;
    if (field.node.isDraining) return;
    await field.reopenPort();
    dispatcher.resume();
    log.info('This node takes work again');
  }
}
