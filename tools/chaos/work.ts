import { setTimeout as wait } from 'node:timers/promises';
import { dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import type { History } from './history.ts';
import type { Deadline } from './deadline.ts';
import type { Subject } from './subject.ts';

export interface KnownMeter {
  id: string;
  sn: string;
  dcu: string;
}

export type Kind = 'lpa' | 'lpb' | 'energy' | 'daily' | 'monthly' | 'registers' | 'events';
export const KINDS: readonly Kind[] = ['lpa', 'lpb', 'energy', 'daily', 'monthly', 'registers', 'events'];

interface Item {
  meterId: string;
  state: string;
  reasonCode: string | null;
  result: {
    rows?: number;
    values?: { item: string; value: unknown; unit: string; reasonCode: string | null }[];
    events?: { absent: string[] };
  } | null;
}

/** Days per read, chosen so that the response exceeds an APDU. */
const DAYS: Record<Kind, number> = { lpa: 1, lpb: 1, energy: 4, daily: 30, monthly: 31, registers: 0, events: 30 };
const REGISTERS = ['E_PLUS', 'E_MINUS', 'E_PLUS_T1', 'E_PLUS_T2'];
/** Registers that the meter of another stack has. */
export const FOREIGN_REGISTERS = ['E_PLUS', 'E_MINUS'];
const LOGS = ['standard', 'fraud', 'quality'];
const PAGE = 500;
const LOOK_EVERY_MS = 400;

/** One kind of reading of many meters, over days that were never read before. */
export class Work {
  readonly kind: Kind;
  readonly #product: Subject;
  readonly #tell: History;
  readonly #from: number;
  readonly #to: number;
  readonly #open: Map<string, KnownMeter>;
  readonly #items: readonly string[];
  /** The unfinished task and its start. */
  #task: string | undefined;
  #orderedAt = 0;

  constructor(
    product: Subject,
    tell: History,
    kind: Kind,
    lastDay: number,
    meters: readonly KnownMeter[],
    items: readonly string[] = REGISTERS,
  ) {
    this.#items = items;
    this.kind = kind;
    this.#product = product;
    this.#tell = tell;
    this.#from = lastDay - DAYS[kind] + 1;
    this.#to = lastDay;
    this.#open = new Map(meters.map((meter) => [meter.id, meter]));
  }

  /** Meters without a completed reading. */
  get left(): KnownMeter[] {
    return [...this.#open.values()];
  }

  /** Orders the missing readings and follows the task to its end, or until the limit. */
  async once(limit: Deadline): Promise<void> {
    if (this.#open.size === 0) return;
    if (this.#task === undefined) {
      this.#orderedAt = this.#product.now();
      this.#task = await this.#order();
    }
    if (this.#task === undefined) return void (await wait(LOOK_EVERY_MS));
    if (await this.#follow(this.#task, limit)) this.#task = undefined;
  }

  async #order(): Promise<string | undefined> {
    const meterIds = [...this.#open.keys()];
    const [from, to] = [dayText(this.#from), dayText(this.#to)];
    const answer =
      this.kind === 'events'
        ? await this.#product.call('POST', '/action/read/event', {
            devices: meterIds.map((id) => ({ kind: 'meter', id })),
            logs: LOGS,
            from,
            to,
          })
        : await this.#product.call('POST', '/action/read/on-demand', {
            meterIds,
            kind: this.kind,
            store: true,
            ...(this.kind === 'registers' ? { items: this.#items } : { from, to }),
          });
    // A meter on its way to another DCU is bound to none: the order is repeated.
    const isMoving = answer?.status === 409 && (answer.body as { code?: string }).code === 'NOT_BOUND'; // as: a problem of the API
    if (!isMoving && answer !== undefined && answer.status >= 400 && answer.status < 500)
      throw new Error(`${this.kind}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer?.status === 202 ? (answer.body as { taskId: string }).taskId : undefined; // as: the contract of the route
  }

  /** Whether the whole task has ended. */
  async #follow(task: string, limit: Deadline): Promise<boolean> {
    while (!limit.isOver) {
      const answer = await this.#product.call('GET', `/task/${task}/items?size=${PAGE}`);
      if (answer?.status === 200) {
        const { items } = answer.body as { items: Item[] }; // as: the contract of the route
        for (const item of items) this.#note(item);
        if (items.length > 0 && items.every(({ state }) => state !== 'waiting' && state !== 'reading')) return true;
      }
      await wait(LOOK_EVERY_MS);
    }
    return false;
  }

  #note({ meterId, state, result }: Item): void {
    const meter = this.#open.get(meterId);
    if (meter === undefined || state !== 'read_success') return;
    const { sn } = meter;
    if (this.kind === 'registers') {
      const values = result?.values ?? [];
      // A register that was refused while the rest was read is read again.
      if (values.some(({ reasonCode }) => reasonCode !== null)) return;
      for (const { item, value, unit } of values)
        this.#tell({ t: 'register', sn, item, value: Number(value), unit, from: this.#orderedAt, to: this.#product.now() });
    } else if (this.kind === 'events') {
      if (result?.events === undefined || result.events.absent.length > 0) return;
      this.#tell({ t: 'log-read', sn, from: dayText(this.#from), to: dayText(this.#to) });
    }
    if (this.kind !== 'registers' && this.kind !== 'events')
      this.#tell({ t: 'acked', sn, profile: this.kind, day: dayText(this.#from), to: dayText(this.#to), rows: result?.rows ?? 0 });
    this.#open.delete(meterId);
  }
}

/** The local day a number of days ago. */
export const dayAgo = (now: number, days: number): number => localDay(now) - days;
