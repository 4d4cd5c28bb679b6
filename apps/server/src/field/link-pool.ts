import type { Outcome, ReasonCode } from '@hes/contract/core/outcome.ts';
import { inSpan, type SpanStart } from '#platform/spans.ts';
import type { ChannelPriority } from './channel.ts';
import { checkIdentity, createPublicDevice, readDeviceName } from './device-name.ts';
import type { Device } from './devices.ts';
import { DeviceLink, MAX_TIMEOUTS, type LinkTools, type LinkUse } from './link.ts';

interface Turn {
  operator: (() => void)[];
  bulk: (() => void)[];
  /** Left open for the next operation in the queue. */
  link: DeviceLink | undefined;
}

/** An association lingers for this time, so that work that follows the admission of a DCU reuses it. */
const LINGER_MS = 5_000;

/** Reasons after which another device may have responded. */
const IDENTITY_REASONS: ReadonlySet<ReasonCode> = new Set(['AUTH_FAILED', 'DECRYPT_FAILED', 'IDENTITY_MISMATCH', 'COUNTER_REPLAY']);

/** Devices without a row have ids that are not numeric. */
const isUnregistered = ({ id }: Device): boolean => !/^\d+$/.test(id);

const keyOf = (device: Device): string => `${device.kind}/${device.id}`;

const spanOf = <T>({ kind, id }: Device, { trace }: LinkUse): SpanStart<Outcome<T>> => ({
  kind: 'internal',
  attributes: {
    [`hes.${kind}.id`]: id,
    'hes.dcu.id': trace.owner.dcuId,
    'hes.session.id': trace.owner.sessionId ?? '',
    'hes.trace.id': trace.id,
  },
  judge: (outcome) => (outcome.ok ? {} : { error: outcome.reason }),
});

/** The links of one DCU session. One operation per device runs at a time; the association stays open while another one is queued. */
export class LinkPool {
  readonly #tools: LinkTools;
  readonly #turns = new Map<string, Turn>();
  /** Meters without response to the last association request. They get a single one, so that dead meters cost little air time. */
  readonly #unresponsive = new Set<string>();
  #lingering: { link: DeviceLink; timer: NodeJS.Timeout } | undefined;

  constructor(tools: LinkTools) {
    this.#tools = tools;
  }

  /** Runs `work` with an open link to the device. When its identity is in doubt, finds out which device responded. */
  async withLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    device.runningLinks++;
    try {
      return await inSpan(
        'DCU session',
        () => spanOf(device, use),
        () => this.#withCheckedLink(device, use, work),
      );
    } finally {
      device.runningLinks--;
    }
  }

  async #withCheckedLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const outcome = await this.#withLink(device, use, work);
    if (outcome.ok) this.#tools.onAuthenticated(device);
    if (outcome.ok || !IDENTITY_REASONS.has(outcome.reason) || isUnregistered(device)) return outcome;
    const askName = () => this.#askName(device, use);
    return this.#tools.explainDoubt({ device, outcome, traceId: use.trace.id, askName });
  }

  /** Reads the logical device name with the public client, without keys. */
  async #askName(device: Device, use: LinkUse): Promise<string | undefined> {
    if (device.kind === 'dcu') return undefined;
    const link = new DeviceLink(
      createPublicDevice(`name-${device.id}`, device.sn, device.address, device.hasShortNames),
      { mechanism: 'none' },
      this.#tools,
      use,
    );
    const opened = await link.open(1);
    if (!opened.ok) return undefined;
    const name = await readDeviceName(link);
    link.release();
    return name.ok ? name.value : undefined;
  }

  async #withLink<T>(device: Device, use: LinkUse, work: (link: DeviceLink) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const key = keyOf(device);
    const turn = await this.#acquire(key, use.priority);
    let link = turn.link ?? this.#takeLingering(key);
    turn.link = undefined;
    try {
      if (link?.isUsable === true) {
        link.setUse(use);
      } else {
        if ('reason' in device.access) return device.access;
        link = new DeviceLink(device, device.access, this.#tools, use);
        const opened = await this.#open(key, link);
        if (!opened.ok) return opened;
      }
      return await work(link);
    } finally {
      this.#release(key, turn, link, use.lingers === true);
    }
  }

  async #open(key: string, link: DeviceLink): Promise<Outcome<void>> {
    const opened = await link.open(this.#unresponsive.has(key) ? 1 : MAX_TIMEOUTS);
    if (!opened.ok && opened.reason === 'METER_TIMEOUT') this.#unresponsive.add(key);
    else this.#unresponsive.delete(key);
    if (!opened.ok || link.device.kind !== 'meter' || link.negotiated.suite !== undefined) return opened;
    // Without ciphering, the name is the only evidence of the identity.
    const checked = await checkIdentity(link, link.device.sn);
    if (!checked.ok) link.release();
    return checked;
  }

  /** Whether an operation of an operator is queued for the device; a long operation may then release it early. */
  hasQueuedOperator(device: Device): boolean {
    return (this.#turns.get(keyOf(device))?.operator.length ?? 0) > 0;
  }

  async #acquire(key: string, priority: ChannelPriority): Promise<Turn> {
    const turn = this.#turns.get(key);
    if (turn === undefined) {
      const fresh: Turn = { operator: [], bulk: [], link: undefined };
      this.#turns.set(key, fresh);
      return fresh;
    }
    await new Promise<void>((resolve) => turn[priority].push(resolve));
    return turn;
  }

  #release(key: string, turn: Turn, link: DeviceLink | undefined, lingers: boolean): void {
    if (link?.isUsable === true) {
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

  /** Releases the lingering association, when the connection ends or the DCU has new keys. */
  close(): void {
    clearTimeout(this.#lingering?.timer);
    this.#lingering?.link.release();
    this.#lingering = undefined;
  }
}
