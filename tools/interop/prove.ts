import { setTimeout as wait } from 'node:timers/promises';
import { inParallel } from '../attack/client.ts';
import { say } from '../lib/say.mjs';
import { cellName, type Service } from './matrix.ts';
import type { Effects, PeerProcess } from './peer-process.ts';
import type { PeerMeter } from './peer-meters.ts';
import type { Product } from './product.ts';
import type { Registered } from './register.ts';

const POLL_MS = 300;
const TASK_WITHIN_MS = 240_000;
const PUSH_WITHIN_MS = 20_000;
const AT_ONCE = 4;
/** Difference between the time that was set and the time of the check; the order and its read-back lie between them. */
const CLOCK_TOLERANCE_MS = 300_000;
const PUSHED = 5;
const DAY_MS = 86_400_000;
/** Orders of these mechanisms are repeated: Gurux misplaces a signature whose numbers begin with zeros, one in 75. */
const ORDERS = { hls_ecdsa: 3 } as const;

/** A meter under test with what the peer that serves it can tell. */
export interface Proved {
  meter: PeerMeter;
  peer: PeerProcess;
}

/** Reasons by cell name; a cell without one has passed. */
export type Failures = Map<string, string>;

interface Item {
  meterId: string;
  state: string;
  reasonCode: string | null;
  reasonText: string | null;
}

/** Orders each service for all its meters at once, over the API, and compares what the product stored with what the peers hold. */
export class Proof {
  readonly #product: Product;
  readonly #ids: Registered;
  readonly failures: Failures = new Map();

  constructor(product: Product, ids: Registered) {
    this.#product = product;
    this.#ids = ids;
  }

  async run(proved: readonly Proved[]): Promise<void> {
    const at = (service: Service) => proved.filter(({ meter }) => meter.services.includes(service));
    const proofs = {
      register: (of: readonly Proved[]) => this.#registers(of),
      profile: (of: readonly Proved[]) => this.#profiles(of),
      push: (of: readonly Proved[]) => this.#pushes(of),
      set: (of: readonly Proved[]) => this.#clocks(of),
      action: (of: readonly Proved[]) => this.#relays(of),
    } satisfies Record<Service, unknown>;
    for (const service of ['register', 'profile', 'push', 'set', 'action'] as const) {
      const begun = performance.now();
      await proofs[service](at(service));
      say(`${service}: ${at(service).length} cells in ${Math.round((performance.now() - begun) / 1000)} s`);
    }
  }

  #idOf({ sn }: PeerMeter): string {
    const id = this.#ids.get(sn);
    if (id === undefined) throw new Error(`${sn} is not registered`);
    return id;
  }

  #fail({ meter }: Proved, service: Service, why: string): void {
    this.failures.set(cellName(meter, service), why);
  }

  /** Places an order and returns its items by serial number, after repeating it for the meters whose peer may fail by chance. */
  async #order(proved: readonly Proved[], place: (ids: string[]) => Promise<{ taskId: string }>): Promise<Map<string, Item>> {
    const found = new Map<string, Item>();
    let open = [...proved];
    for (let times = 1; open.length > 0; times++) {
      const { taskId } = await place(open.map(({ meter }) => this.#idOf(meter)));
      const items = await this.#ended(taskId);
      for (const { meter } of open) {
        const item = items.get(this.#idOf(meter));
        if (item !== undefined) found.set(meter.sn, item);
      }
      open = open.filter(
        ({ meter }) =>
          meter.peer.name === 'gurux-java' &&
          meter.mechanism === 'hls_ecdsa' &&
          found.get(meter.sn)?.state !== 'read_success' &&
          times < ORDERS.hls_ecdsa,
      );
    }
    return found;
  }

  async #ended(taskId: string): Promise<Map<string, Item>> {
    const until = performance.now() + TASK_WITHIN_MS;
    while ((await this.#product.call('GET', `/task/${taskId}`)).finishedAt === null && performance.now() < until) await wait(POLL_MS);
    const { items } = await this.#product.call('GET', `/task/${taskId}/items?size=5000`);
    return new Map(items.map((item: Item) => [item.meterId, item]));
  }

  /** Whether the item of a meter succeeded; otherwise its reason becomes the failure of the cell. */
  #hasEnded(one: Proved, service: Service, items: ReadonlyMap<string, Item>): boolean {
    const item = items.get(one.meter.sn);
    if (item?.state === 'read_success') return true;
    this.#fail(one, service, item === undefined ? 'not ordered' : `${item.state} ${item.reasonCode ?? ''} ${item.reasonText ?? ''}`.trim());
    return false;
  }

  /** Runs a check of each meter, a few at a time; a text is the reason why the cell fails. */
  async #check(proved: readonly Proved[], service: Service, check: (one: Proved) => Promise<string | undefined>): Promise<void> {
    await inParallel(proved.length, AT_ONCE, async (index) => {
      const one = proved[index] as Proved; // as: the index is below the number of meters
      const why = await check(one);
      if (why !== undefined) this.#fail(one, service, why);
    });
  }

  async #energyOf({ meter }: Proved): Promise<number | undefined> {
    const { items } = await this.#product.call('GET', `/reading/${this.#idOf(meter)}/latest`);
    const found = items.find(({ item }: { item: string }) => item === 'E_PLUS');
    return typeof found?.value === 'number' && found.unit === 'Wh' ? found.value : undefined;
  }

  async #registers(proved: readonly Proved[]): Promise<void> {
    const items = await this.#order(proved, (meterIds) =>
      this.#product.call('POST', '/action/read/on-demand', { meterIds, kind: 'registers', items: ['E_PLUS'] }),
    );
    const read = proved.filter((one) => this.#hasEnded(one, 'register', items));
    await this.#check(read, 'register', async (one) => {
      const stored = await this.#energyOf(one);
      return stored === one.meter.energy ? undefined : `stored ${stored} Wh, the peer holds ${one.meter.energy} Wh`;
    });
  }

  async #profiles(proved: readonly Proved[]): Promise<void> {
    const [first] = proved;
    if (first === undefined) return;
    const { from, period, count } = first.meter.rows;
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const days = { from: dayOf(from - DAY_MS), to: dayOf(from + count * period + DAY_MS) };
    const today = dayOf(Date.now());
    if (days.to > today) days.to = today;
    const items = await this.#order(proved, (meterIds) =>
      this.#product.call('POST', '/action/read/on-demand', { meterIds, kind: 'lpa', ...days }),
    );
    const read = proved.filter((one) => this.#hasEnded(one, 'profile', items));
    await this.#check(read, 'profile', async ({ meter }) => {
      const query = `meterId=${this.#idOf(meter)}&from=${days.from}&to=${days.to}&size=3200`;
      const { items: rows } = await this.#product.call('GET', `/reading/profile/lpa?${query}`);
      const stored = new Map<number, number>();
      for (const { ts, ePlus } of rows) if (ePlus !== null) stored.set(Date.parse(ts), Math.round(ePlus * 1000));
      for (let row = 0; row < count; row++) {
        const at = from + row * period;
        if (stored.get(at) !== meter.rows.first + row)
          return `row ${row} (${new Date(at).toISOString()}): stored ${stored.get(at)}, the peer holds ${meter.rows.first + row}`;
      }
      return stored.size === count ? undefined : `${stored.size} rows are stored, the peer holds ${count}`;
    });
  }

  /** Sets the clocks, which are hours behind. The peer reports to which time its clock was set. */
  async #clocks(proved: readonly Proved[]): Promise<void> {
    const items = await this.#order(proved, (ids) =>
      this.#product.call('POST', '/action/clock', {
        devices: ids.map((id) => ({ kind: 'meter', id })),
        operation: 'sync',
        method: 'set',
        isConfirmed: true,
        reason: 'Matrix of interoperability',
      }),
    );
    const set = proved.filter((one) => this.#hasEnded(one, 'set', items));
    await this.#check(set, 'set', async ({ meter, peer }) => {
      const clock = peer.effectsOn(meter.sn).clocks.at(-1);
      if (clock === undefined) return 'the peer reports no set clock';
      const off = Math.abs(Date.now() - clock);
      return off < CLOCK_TOLERANCE_MS ? undefined : `the peer reports a clock that is off by ${Math.round(off / 1000)} s`;
    });
  }

  async #relays(proved: readonly Proved[]): Promise<void> {
    let left = [...proved];
    for (const operation of ['disconnect', 'connect'] as const) {
      const items = await this.#order(left, (meterIds) => this.#switch(meterIds, operation));
      left = left.filter((one) => this.#hasEnded(one, 'action', items));
      const wanted = operation === 'connect';
      await this.#check(left, 'action', async ({ meter, peer }) => lastRelay(peer.effectsOn(meter.sn), wanted));
    }
  }

  /** An order above the limit of one user, approved by the other one. */
  async #switch(meterIds: string[], operation: string): Promise<{ taskId: string }> {
    for (const user of ['operator', 'approver'] as const) await this.#product.confirm(user);
    const order = { requestId: crypto.randomUUID(), meterIds, operation, reason: 'Matrix of interoperability', workOrder: 'INTEROP' };
    const placed = await this.#product.call('POST', '/action/relay', order);
    if (placed.requiresApproval) {
      const { items } = await this.#product.call('GET', '/action/approval?state=pending&size=100', undefined, 'approver');
      const waiting = items.find(({ taskId }: { taskId: string }) => taskId === placed.taskId);
      await this.#product.call('PUT', `/action/approval/${waiting?.id}`, { decision: 'approve', comment: 'Matrix' }, 'approver');
    }
    return placed;
  }

  /** Pushes of a new value. Some peers send one before their next response, so another value is read meanwhile. */
  async #pushes(proved: readonly Proved[]): Promise<void> {
    for (const { meter, peer } of proved) peer.push(meter.sn, meter.energy + PUSHED);
    await this.#order(proved, (ids) =>
      this.#product.call('POST', '/action/clock', { devices: ids.map((id) => ({ kind: 'meter', id })), operation: 'read' }),
    );
    const until = performance.now() + PUSH_WITHIN_MS;
    await this.#check(proved, 'push', async (one) => {
      const wanted = one.meter.energy + PUSHED;
      for (;;) {
        const stored = await this.#energyOf(one);
        if (stored === wanted) return undefined;
        if (performance.now() > until) return `stored ${stored} Wh, the peer pushed ${wanted} Wh`;
        await wait(POLL_MS);
      }
    });
  }
}

const lastRelay = ({ relays }: Effects, wanted: boolean): string | undefined =>
  relays.at(-1) === wanted ? undefined : `the peer reports ${relays.at(-1) ?? 'no switched relay'}`;
