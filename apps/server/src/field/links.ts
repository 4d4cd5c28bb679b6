import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { ChannelPriority } from './channel.ts';
import type { Device } from './devices.ts';
import { DeviceLink, SILENCES, type LinkTools, type LinkUse } from './link.ts';

interface Turn {
  operator: (() => void)[];
  bulk: (() => void)[];
  /** Kept open for the one who is next. */
  link: DeviceLink | undefined;
}

const keyOf = (device: Device): string => `${device.kind}/${device.id}`;

/** The links of one session: one user per device at a time, and the association stays while somebody is queued for it. */
export class Links {
  readonly #tools: LinkTools;
  readonly #turns = new Map<string, Turn>();
  /** Meters that said nothing when they were asked last: they are greeted once, so that dead ones cost little air time. */
  readonly #silent = new Set<string>();

  constructor(tools: LinkTools) {
    this.#tools = tools;
  }

  /** Runs `work` with an open link to the device. */
  async withLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const key = keyOf(device);
    const turn = await this.#take(key, use.priority);
    let link = turn.link;
    turn.link = undefined;
    try {
      if (link?.usable === true) {
        link.usedBy(use);
      } else {
        if ('reason' in device.access) return device.access;
        link = new DeviceLink(device, device.access, this.#tools, use);
        const opened = await this.#open(key, link);
        if (!opened.ok) return opened;
      }
      return await work(link);
    } finally {
      this.#pass(key, turn, link);
    }
  }

  async #open(key: string, link: DeviceLink): Promise<Outcome<void>> {
    const opened = await link.open(this.#silent.has(key) ? 1 : SILENCES);
    if (!opened.ok && opened.reason === 'METER_TIMEOUT') this.#silent.add(key);
    else this.#silent.delete(key);
    return opened;
  }

  /** Whether somebody who waits for an answer is queued for the device: whoever has it at the moment may let it go early. */
  isWanted(device: Device): boolean {
    return (this.#turns.get(keyOf(device))?.operator.length ?? 0) > 0;
  }

  async #take(key: string, priority: ChannelPriority): Promise<Turn> {
    const turn = this.#turns.get(key);
    if (turn === undefined) {
      const fresh: Turn = { operator: [], bulk: [], link: undefined };
      this.#turns.set(key, fresh);
      return fresh;
    }
    await new Promise<void>((resolve) => turn[priority].push(resolve));
    return turn;
  }

  #pass(key: string, turn: Turn, link: DeviceLink | undefined): void {
    if (link?.usable === true) {
      if (turn.operator.length + turn.bulk.length > 0) turn.link = link;
      else link.release();
    }
    const next = turn.operator.shift() ?? turn.bulk.shift();
    if (next === undefined) this.#turns.delete(key);
    else next();
  }
}
