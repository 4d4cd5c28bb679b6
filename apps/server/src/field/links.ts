import type { Outcome, ReasonCode } from '@hes/contract/core/outcome.ts';
import type { ChannelPriority } from './channel.ts';
import { checkIdentity, publicDeviceAt, readDeviceName } from './device-name.ts';
import type { Device } from './devices.ts';
import { DeviceLink, SILENCES, type LinkTools, type LinkUse } from './link.ts';

interface Turn {
  operator: (() => void)[];
  bulk: (() => void)[];
  /** Kept open for the one who is next. */
  link: DeviceLink | undefined;
}

/** An association that lingers stays open so long: work that follows the proof of a connection needs no second one. */
const LINGER_MS = 5_000;

/** Reasons for which somebody else than the device may have answered. */
const UNPROVED: ReadonlySet<ReasonCode> = new Set(['AUTH_FAILED', 'DECRYPT_FAILED', 'IDENTITY_MISMATCH']);

/** Of no table. */
const isStranger = ({ id }: Device): boolean => !/^\d+$/.test(id);

const keyOf = (device: Device): string => `${device.kind}/${device.id}`;

/** The links of one session: one user per device at a time, and the association stays while somebody is queued for it. */
export class Links {
  readonly #tools: LinkTools;
  readonly #turns = new Map<string, Turn>();
  /** Meters that said nothing when they were asked last: they are greeted once, so that dead ones cost little air time. */
  readonly #silent = new Set<string>();
  #lingering: { link: DeviceLink; timer: NodeJS.Timeout } | undefined;

  constructor(tools: LinkTools) {
    this.#tools = tools;
  }

  /** Runs `work` with an open link to the device; when the answers are not proved to be the device's, finds out whose they are. */
  async withLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    device.runningLinks++;
    try {
      return await this.#withProvedLink(device, use, work);
    } finally {
      device.runningLinks--;
    }
  }

  async #withProvedLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const outcome = await this.#withLink(device, use, work);
    if (outcome.ok) this.#tools.proved(device);
    if (outcome.ok || !UNPROVED.has(outcome.reason) || isStranger(device)) return outcome;
    const askName = () => this.#askName(device, use);
    return this.#tools.explainUnproved({ device, outcome, traceId: use.trace.id, askName });
  }

  /** As anybody may ask: an address behind the gateway says its name without keys. */
  async #askName(device: Device, use: LinkUse): Promise<string | undefined> {
    if (device.address === undefined) return undefined;
    const link = new DeviceLink(publicDeviceAt(`name-${device.id}`, device.sn, device.address), { mechanism: 'none' }, this.#tools, use);
    const opened = await link.open(1);
    if (!opened.ok) return undefined;
    const name = await readDeviceName(link);
    link.release();
    return name.ok ? name.value : undefined;
  }

  async #withLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const key = keyOf(device);
    const turn = await this.#take(key, use.priority);
    let link = turn.link ?? this.#takeLingering(key);
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
      this.#pass(key, turn, link, use.lingers === true);
    }
  }

  async #open(key: string, link: DeviceLink): Promise<Outcome<void>> {
    const opened = await link.open(this.#silent.has(key) ? 1 : SILENCES);
    if (!opened.ok && opened.reason === 'METER_TIMEOUT') this.#silent.add(key);
    else this.#silent.delete(key);
    if (!opened.ok || link.device.kind !== 'meter' || link.spoken.suite !== undefined) return opened;
    // Nothing else says which meter it is.
    const checked = await checkIdentity(link, link.device.sn);
    if (!checked.ok) link.release();
    return checked;
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

  #pass(key: string, turn: Turn, link: DeviceLink | undefined, lingers: boolean): void {
    if (link?.usable === true) {
      if (turn.operator.length + turn.bulk.length > 0) turn.link = link;
      else if (lingers) this.#linger(link);
      else link.release();
    }
    const next = turn.operator.shift() ?? turn.bulk.shift();
    if (next === undefined) this.#turns.delete(key);
    else next();
  }

  #linger(link: DeviceLink): void {
    this.close();
    this.#lingering = { link, timer: setTimeout(() => this.close(), LINGER_MS) };
  }

  #takeLingering(key: string): DeviceLink | undefined {
    const { link, timer } = this.#lingering ?? {};
    if (link === undefined || keyOf(link.device) !== key) return undefined;
    clearTimeout(timer);
    this.#lingering = undefined;
    return link;
  }

  /** Releases the association that is kept open: the connection ends, or the DCU has other keys. */
  close(): void {
    clearTimeout(this.#lingering?.timer);
    this.#lingering?.link.release();
    this.#lingering = undefined;
  }
}
