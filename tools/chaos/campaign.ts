import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { TIME_ZONE } from '../../apps/simulator/src/world/calendar.ts';
import { Random } from '../fuzz/random.ts';
import { noteCommitted } from './dump.ts';
import { TROUBLES, type Trouble } from './faults.ts';
import type { History } from './history.ts';
import type { Product } from './product.ts';

interface Meter {
  id: string;
  sn: string;
  dcu: string;
}

interface Item {
  meterId: string;
  state: string;
  reasonCode: string | null;
  result: { rows?: number } | null;
}

/** Orders of one episode go to one meter in so many, over all DCUs. */
const GROUPS = 4;
/** Days before this one are left to episodes; what is younger, collection brings by itself. */
const FIRST_DAY_BACK = 9;
/** A meter's buffer is 60 days deep. */
const DAYS = 48;
const DAY_MS = 86_400_000;
/** Whoever is not back after this, with hands off, never will be. */
const RECOVERY_MS = 150_000;
const ONLINE_MS = 60_000;
const LOCK_MS = 4_000;
const FULL_MS = 5_000;
const CROWD_MS = 2_000;
/** Alarms of one meter in one episode. */
const ALARMS = 3;
const TASK_PAGE = 500;

const dayText = (ms: number): string => new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(ms);
const hashOf = (text: string): number => [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5);
/** Of the simulated meters those whose relay opens and closes from afar. */
const isSwitchable = (index: number): boolean => index % 16 !== 7 && index % 64 !== 21;

/** Orders given to a product that is being tortured, and what it says of them. */
export class Campaign {
  readonly #product: Product;
  readonly #tell: History;
  #meters: Meter[] = [];
  #unswitched: Meter[] = [];
  #episodes = 0;

  constructor(product: Product, tell: History) {
    this.#product = product;
    this.#tell = tell;
  }

  /** Waits until every DCU is there. */
  async begin(): Promise<void> {
    const { pool } = this.#product;
    for (const until = Date.now() + ONLINE_MS; ; await wait(100)) {
      const found = await pool.query<Meter>('select m.id, m.sn, d.sn as dcu from meter m join dcu d on d.id = m.dcu_id order by m.sn');
      const away = await pool.query("select from dcu where online_status <> 'online'");
      this.#meters = found.rows;
      if (away.rowCount === 0) break;
      if (Date.now() > until) throw new Error(`${away.rowCount} DCUs do not come`);
    }
    this.#unswitched = this.#meters.filter((_meter, index) => isSwitchable(index));
  }

  /** One fault, drawn from its seed; then the same work again, until it is done. */
  async episode(name: string, seed: number): Promise<void> {
    const chosen = TROUBLES[name];
    if (chosen === undefined) throw new Error(`There is no fault "${name}". There are: ${Object.keys(TROUBLES).join(', ')}`);
    const { trouble } = chosen;
    const random = new Random(hashOf(name) ^ Math.imul(seed, 0x9e3779b1));
    const { meters, day } = this.#work();
    const targets = targetsOf(trouble, meters, random);
    this.#tell({ t: 'fault', kind: name, seed, targets });
    await this.#inject(trouble, targets);
    const done = new Map<string, Meter>();
    const task = await this.#order(meters, day);
    if (['server', 'database', 'caller', 'line'].includes(trouble.of) || name === 'lost-switch') await this.#switchOne(trouble, targets);
    await wait(random.below(1500));
    await this.#strike(trouble, targets, random);
    await wait(500 + random.below(1500));
    await this.#clear(trouble, targets);
    const since = performance.now();
    if (task !== undefined) await this.#follow(task, meters, day, done);
    while (done.size < meters.length && performance.now() - since < RECOVERY_MS) {
      const left = meters.filter((meter) => !done.has(meter.id));
      const again = await this.#order(left, day);
      if (again === undefined) await wait(250);
      else await this.#follow(again, left, day, done);
    }
    const left = meters.filter((meter) => !done.has(meter.id)).map(({ sn }) => sn);
    if (left.length > 0)
      this.#tell({ t: 'stuck', kind: name, seed, what: `${left.length} meters are not read again: ${left.slice(0, 5).join(' ')}` });
    else this.#tell({ t: 'recovered', kind: name, seed, ms: Math.round(performance.now() - since) });
    await this.#product.untilStored();
    await noteCommitted(this.#product.pool, this.#tell);
  }

  /** Meters and a day that were not read before, as long as there are some. */
  #work(): { meters: Meter[]; day: string } {
    const turn = this.#episodes++;
    const back = FIRST_DAY_BACK + (Math.floor(turn / GROUPS) % DAYS);
    return { meters: this.#meters.filter((_meter, index) => index % GROUPS === turn % GROUPS), day: dayText(Date.now() - back * DAY_MS) };
  }

  async #order(meters: readonly Meter[], day: string): Promise<string | undefined> {
    const body = { meterIds: meters.map(({ id }) => id), kind: 'lpa', from: day, to: day, store: true };
    const answer = await this.#product.call('POST', '/action/read/on-demand', body);
    return answer?.status === 202 ? (answer.body as { taskId: string }).taskId : undefined; // as: the contract of the route
  }

  /** Waits for the ends of a task's items, over crashes, and keeps what it said of them. */
  async #follow(task: string, meters: readonly Meter[], day: string, done: Map<string, Meter>): Promise<void> {
    const byId = new Map(meters.map((meter) => [meter.id, meter]));
    for (const until = performance.now() + RECOVERY_MS; performance.now() < until; await wait(150)) {
      const answer = await this.#product.call('GET', `/task/${task}/items?size=${TASK_PAGE}`);
      if (answer?.status !== 200) continue;
      const { items } = answer.body as { items: Item[] }; // as: the contract of the route
      for (const { meterId, state, result } of items) {
        const meter = byId.get(meterId);
        if (meter === undefined || state !== 'read_success' || done.has(meterId)) continue;
        done.set(meterId, meter);
        this.#tell({ t: 'acked', sn: meter.sn, profile: 'lpa', day, rows: result?.rows ?? 0 });
      }
      if (items.length > 0 && items.every(({ state }) => state !== 'waiting' && state !== 'reading')) return;
    }
  }

  /** Cuts off one supply that was never switched before, so that one execution is one command. */
  async #switchOne(trouble: Trouble, targets: readonly string[]): Promise<void> {
    const own = trouble.of === 'meter' ? this.#unswitched.findIndex(({ sn }) => targets.includes(sn)) : 0;
    const [meter] = own === -1 ? [] : this.#unswitched.splice(own, 1);
    if (meter === undefined) return;
    const order = {
      requestId: randomUUID(),
      meterIds: [meter.id],
      operation: 'disconnect',
      reason: 'Chaos',
      workOrder: 'CHAOS',
    };
    const times = trouble.of === 'caller' ? 4 : 1;
    await Promise.all(Array.from({ length: times }, (_, time) => this.#product.call('POST', '/action/relay', order, time === 0 ? 1 : 0)));
  }

  async #inject(trouble: Trouble, targets: readonly string[]): Promise<void> {
    for (const target of targets) {
      if (trouble.of === 'dcu' || trouble.of === 'meter') {
        const { kind, count, delayMs } = trouble;
        await this.#product.field('POST', '/fault', { target, kind, count, delayMs });
        if (kind === 'absent') await this.#product.field('POST', `/dcu/${target}/disconnect`);
      } else if (trouble.of === 'place') {
        const dcu = this.#meters.find(({ sn }) => sn === target)?.dcu;
        await this.#product.field('POST', `/network/${dcu}`, { kind: 'lose', sn: target });
      }
    }
  }

  async #strike(trouble: Trouble, targets: readonly string[], random: Random): Promise<void> {
    const begun = performance.now();
    if (trouble.of === 'server') await this.#product.killServer();
    else if (trouble.of === 'pushes') await this.#push(trouble.from, random);
    else if (trouble.of === 'descriptors') await this.#product.crowd(CROWD_MS);
    else if (trouble.of === 'line') {
      for (const target of targets) {
        await this.#product.field('POST', `/dcu/${target}/disconnect`);
        await wait(random.below(300));
      }
    } else if (trouble.of === 'database') {
      if (trouble.signal === 'locked') await this.#lock();
      else if (trouble.signal === 'full') await this.#product.fillDisk(FULL_MS);
      else await this.#product.killDatabase(trouble.signal);
    }
    if (trouble.of === 'server' || (trouble.of === 'database' && trouble.signal.startsWith('SIG')))
      this.#tell({ t: 'killed', what: trouble.of, afterMs: Math.round(performance.now() - begun) });
  }

  /** Each alarm is told twice, the later ones first; strangers speak for meters that do not exist, over DCUs that nobody knows, too. */
  async #push(from: 'meters' | 'strangers', random: Random): Promise<void> {
    const first = this.#episodes * ALARMS;
    const numbers = Array.from({ length: ALARMS }, (_, index) => first + index);
    const begin = random.below(this.#meters.length);
    for (let turn = 0; turn < 4; turn++) {
      const meter = this.#meters[(begin + turn) % this.#meters.length];
      if (meter === undefined) continue;
      const sn = from === 'meters' ? meter.sn : `NOBODY${random.below(1000)}`;
      await this.#product.field('POST', `/dcu/${meter.dcu}/alarm`, { meter: sn, numbers: [...numbers.toReversed(), ...numbers] });
    }
    if (from === 'strangers') await this.#product.callAs(`STRANGE${random.below(1_000_000)}`);
  }

  /** Somebody holds what the product needs to write. */
  async #lock(): Promise<void> {
    const client = await this.#product.pool.connect();
    try {
      await client.query('begin');
      await client.query('lock table task_item, reading_profile in exclusive mode');
      await wait(LOCK_MS);
      await client.query('rollback');
    } finally {
      client.release();
    }
  }

  async #clear(trouble: Trouble, targets: readonly string[]): Promise<void> {
    if (trouble.of === 'dcu' || trouble.of === 'meter') await this.#product.field('DELETE', '/fault');
    if (trouble.of !== 'place') return;
    for (const target of targets) {
      const dcu = this.#meters.find(({ sn }) => sn === target)?.dcu;
      await this.#product.field('POST', `/network/${dcu}`, { kind: 'restore', sn: target });
    }
  }

  /** Lets what is under way end, and has every relay read whose command nobody knows the end of. */
  async finish(): Promise<void> {
    const { pool } = this.#product;
    for (const until = Date.now() + RECOVERY_MS; Date.now() < until; await wait(250)) {
      const open = await pool.query(
        "select from task_item where state = 'reading' or state = 'waiting' and kind in ('relay_disconnect', 'collect') and not_before < now() + interval '10 minutes' limit 1",
      );
      if (open.rowCount === 0) break;
    }
    const unknown = await pool.query<{ id: string }>(
      "select distinct meter_id as id from relay_command where state in ('sent', 'unknown')",
    );
    const meterIds = unknown.rows.map(({ id }) => id);
    if (meterIds.length === 0) return;
    const answer = await this.#product.call('POST', '/action/relay/read', { meterIds });
    const { taskId } = (answer?.body ?? {}) as { taskId?: string }; // as: the contract of the route
    if (taskId !== undefined) await this.#follow(taskId, [], '', new Map());
  }
}

function targetsOf(trouble: Trouble, meters: readonly Meter[], random: Random): string[] {
  const dcus = [...new Set(meters.map(({ dcu }) => dcu))];
  if (trouble.of === 'dcu' || trouble.of === 'line')
    return [random.pick(dcus), random.pick(dcus)].filter((sn, index, all) => all.indexOf(sn) === index);
  if (trouble.of === 'meter' || trouble.of === 'place') {
    const count = 1 + random.below(Math.max(1, Math.floor(meters.length / 3)));
    const from = random.below(meters.length);
    return Array.from({ length: count }, (_, index) => meters[(from + index) % meters.length]?.sn ?? '');
  }
  return [];
}
