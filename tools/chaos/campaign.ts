import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../fuzz/random.ts';
import { say } from '../lib/say.mjs';
import type { Deadline } from './deadline.ts';
import { noteCommitted, noteUnkept } from './dump.ts';
import { clear, change, inject, struckTimes, strikeProcess, type Strike, type Struck } from './inject.ts';
import { drawTargets, fleetOf, type FleetSize } from './fleet.ts';
import type { Draw, Fleet } from './fleet-shape.ts';
import type { History } from './history.ts';
import type { Subject } from './subject.ts';
import { Relays } from './relays.ts';
import { shuffled } from './targets.ts';
import { dayAgo, FOREIGN_REGISTERS, KINDS, Work, type Kind, type KnownMeter } from './work.ts';

/** Younger days are collected automatically. */
const FIRST_DAY_BACK = 9;
const SECOND_DAY_BACK = 14;
/** Days that collection looks back: the jump between the waves may cross two midnights. */
export const LOOK_BACK_DAYS = 3;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Time jump between the waves, which includes one or two midnights. */
const BETWEEN_MS = 30 * HOUR_MS;
/** Time jump at the end, after which no meter is set aside any more. */
const AFTER_MS = 5 * HOUR_MS;
/** Limit of the recovery without faults and intervention. */
const RECOVERY_MS = 150_000;
/** Extension of a fault beyond its time if it has not taken effect. */
const UNSTRUCK_MS = 40_000;
const ONLINE_MS = 90_000;
const ORDER_EVERY_MS = 3_000;
const SAMPLE_EVERY_MS = 1_500;
/** Capture periods. A replaced meter has captured nothing during the first one. */
const PERIOD_MS = { lpa: 15 * MINUTE_MS, lpb: 15 * MINUTE_MS, energy: HOUR_MS, daily: 24 * HOUR_MS } as const;
/** Maximum age of a watermark when collection is up to date; that of freezes may be a day. */
const BEHIND_MS = { lpa: 31 * MINUTE_MS, lpb: 31 * MINUTE_MS, energy: 61 * MINUTE_MS, daily: 25 * HOUR_MS } as const;
const PROFILES = ['lpa', 'lpb', 'energy', 'daily'] as const;
/** Meters with these faults have changed since old days were captured: those days are not read from them. */
const CHANGED: ReadonlySet<string> = new Set([
  'other-layout',
  'layout-between-reads',
  'other-scaler',
  'new-firmware',
  'other-period',
  'rollover',
  'exchanged-meter',
  'foreign-meter',
]);

/** Faults of nodes that follow each other: processes that end and start, one that pauses, and lines and database. */
const LANES_OF_NODES = [['killed', 'restarted', 'of two versions'], ['paused'], ['cut off', 'deaf', 'failed over']] as const;

/** Meters whose scaler changes: orders for days before the change must not store them in the new scale, and may fail. */
const RESCALED: ReadonlySet<string> = new Set(['other-scaler', 'new-firmware']);
const RESCALED_KINDS: readonly Kind[] = ['lpa', 'energy', 'daily'];

/** Decisions of a seed before the start. */
export interface Plan {
  fleet: Fleet;
  draws: Draw[];
  seed: number;
}

export interface PlanOrder extends FleetSize {
  names: readonly string[];
  seed: number;
  /** Faults have direct meters as targets only. */
  onlyDirect: boolean;
}

export function planOf(worldSeed: number, { names, seed, onlyDirect, ...size }: PlanOrder): Plan {
  const fleet = fleetOf(worldSeed, size);
  return { fleet, draws: drawTargets(names, fleet, seed, onlyDirect), seed };
}

/** Serial number of the meter that another stack replaces, if that fault is drawn. */
export const foreignOf = (draws: readonly Draw[]): string | undefined =>
  draws.find(({ spec }) => spec.trouble.of === 'foreign')?.targets[0];

/** One product under all faults of a list at once, in two waves. */
export class Campaign {
  readonly #product: Subject;
  readonly #tell: History;
  readonly #fleet: Fleet;
  readonly #draws: Draw[];
  readonly #seed: number;
  readonly #random: Random;
  readonly #relays: Relays;
  readonly #strike: Strike;
  readonly #struck: Struck = new Map();
  #meters: KnownMeter[] = [];

  constructor(product: Subject, tell: History, { fleet, draws, seed }: Plan, strike: Strike) {
    this.#strike = strike;
    this.#product = product;
    this.#tell = tell;
    this.#seed = seed;
    this.#random = new Random(Math.imul(seed, 0x85ebca6b) ^ 0xcafe);
    this.#fleet = fleet;
    this.#draws = draws;
    this.#relays = new Relays(product, fleet);
  }

  async run(): Promise<void> {
    await this.#begin();
    await this.#wave(1);
    if (this.#draws.some(({ spec }) => spec.wave === 2)) {
      await this.#change();
      await this.#wave(2);
      await this.#afterwards();
    }
    await this.#relays.finish();
    await this.#tellStruck();
  }

  /** Waits until every DCU and direct meter is connected, and sets collection to every minute. */
  async #begin(): Promise<void> {
    const { pool } = this.#product;
    for (const until = performance.now() + ONLINE_MS; ; await wait(100)) {
      const away = await pool.query("select from endpoint where online_status <> 'online'");
      if (away.rowCount === 0) break;
      if (performance.now() > until) throw new Error(`${away.rowCount} DCUs and direct meters are not connected`);
    }
    await this.#findMeters();
    const foreign = foreignOf(this.#draws);
    if (foreign !== undefined) this.#tell({ t: 'foreign', sn: foreign });
    await pool.query(
      `insert into collect_plan (name, type, schedule, is_builtin) select p.name, p.type, '', false
       from (values ('B', 'lpb'), ('M', 'monthly'), ('E', 'events')) as p (name, type)
       where not exists (select from collect_plan c where c.name = p.name)`,
    );
    await pool.query(
      `update collect_plan set enabled = true, next_run_at = null, execution = 'hes_pull', look_back_days = $1, schedule = '0 0/1 * * * ? *'`,
      [LOOK_BACK_DAYS],
    );
  }

  async #findMeters(): Promise<void> {
    this.#meters = await this.#product.rows<KnownMeter>(
      "select m.id, m.sn, e.sn as dcu from meter m join endpoint e on e.id = m.dcu_id where m.inventory_state = 'active' order by m.sn",
    );
  }

  #of(wave: 1 | 2): Draw[] {
    return this.#draws.filter(({ spec }) => spec.wave === wave);
  }

  /** Applies all faults of a wave while everything is read, then waits without intervention until the orders are complete. */
  async #wave(wave: 1 | 2): Promise<void> {
    const draws = this.#of(wave);
    const began = performance.now();
    for (const { name, targets } of draws) this.#tell({ t: 'fault', kind: name, seed: this.#seed, targets });
    const unfit = new Set(wave === 2 ? draws.flatMap(({ name, targets }) => (CHANGED.has(name) ? targets : [])) : []);
    const lastDay = dayAgo(this.#product.now(), wave === 1 ? FIRST_DAY_BACK : SECOND_DAY_BACK);
    const meters = this.#meters.filter(({ sn }) => !unfit.has(sn) && sn !== foreignOf(this.#draws));
    const works = KINDS.map((kind) => new Work(this.#product, this.#tell, kind, lastDay, meters));
    const foreign = this.#meters.filter(({ sn }) => sn === foreignOf(this.#draws));
    works.push(new Work(this.#product, this.#tell, 'registers', lastDay, foreign, FOREIGN_REGISTERS));
    const limit = this.#product.deadline(Math.max(0, ...draws.map(({ spec }) => spec.lastsMs)));
    const isOver = new AbortController();
    const watching = this.#watch(isOver.signal);
    const rescaled = new Set(draws.flatMap(({ name, targets }) => (RESCALED.has(name) ? targets : [])));
    const old = RESCALED_KINDS.map(
      (kind) =>
        new Work(
          this.#product,
          this.#tell,
          kind,
          lastDay,
          this.#meters.filter(({ sn }) => rescaled.has(sn)),
        ),
    );
    const reading = this.#readUnder([...works, ...old], limit);
    const switching = this.#relays.work(draws, isOver.signal);
    // A wave that breaks off reports its own error; these fail after it, because the product is gone.
    for (const beside of [watching, switching]) beside.catch(() => undefined);
    const going = await inject(this.#tools(), draws, this.#meters);
    await Promise.all([this.#strikeOneByOne(draws), limit.untilOver(), ...going]);
    await this.#untilStruck(draws);
    this.#noteStarved(draws, works);
    await clear(this.#tools(), draws);
    say(`wave ${wave}: ${draws.length} faults for ${((performance.now() - began) / 1000).toFixed(0)} s`);
    await reading;
    await this.#recover(wave, works);
    isOver.abort();
    await Promise.all([watching, switching]);
  }

  #tools() {
    return {
      product: this.#product,
      tell: this.#tell,
      random: this.#random,
      fleet: this.#fleet,
      struck: this.#struck,
      strike: this.#strike,
    };
  }

  /** Orders one kind after the other while faults are active, and repeats as long as they are. */
  async #readUnder(works: readonly Work[], limit: Deadline): Promise<void> {
    await Promise.all(
      works.map(async (work, index) => {
        await wait(index * ORDER_EVERY_MS);
        while (!limit.isOver && work.left.length > 0) await work.once(limit);
      }),
    );
  }

  /** Faults of processes run one by one; those of server and database, of connections, and of different lanes of nodes, run concurrently. */
  async #strikeOneByOne(draws: readonly Draw[]): Promise<void> {
    const lane = async (of: readonly string[], what?: readonly string[]): Promise<void> => {
      for (const draw of shuffled(
        draws.filter(
          ({ spec: { trouble } }) =>
            of.includes(trouble.of) && (what === undefined || (trouble.of === 'node' && what.includes(trouble.what))),
        ),
        this.#random,
      )) {
        await wait(1_000 + this.#random.below(3_000));
        await strikeProcess(this.#tools(), draw, this.#meters);
      }
    };
    const lanes = [['server', 'parameter'], ['database'], ['pushes', 'caller']].map((of) => lane(of));
    const nodeLanes = LANES_OF_NODES.map((what) => lane(['node'], what));
    const lines = draws.filter(({ spec }) => spec.trouble.of === 'line' || spec.trouble.of === 'imposter');
    await Promise.all([...lanes, ...nodeLanes, ...lines.map((draw) => strikeProcess(this.#tools(), draw, this.#meters))]);
  }

  /** Waits until each fault has taken effect, since an ineffective one proves nothing. */
  async #untilStruck(draws: readonly Draw[]): Promise<void> {
    for (const limit = this.#product.deadline(UNSTRUCK_MS); !limit.isOver; await wait(1_000)) {
      const times = await struckTimes(this.#product, this.#struck);
      if (draws.every((draw) => draw.targets.length === 0 || draw.targets.some((target) => times(draw, target) > 0))) return;
    }
  }

  /**
   * Checks that neighbours of a meter with an endless response are read as far as healthy meters of other DCUs are in the
   * same time. While the database has trouble, work stops for all of them and delays grow, so nothing can be concluded.
   */
  #noteStarved(draws: readonly Draw[], works: readonly Work[]): void {
    if (draws.some(({ spec }) => spec.trouble.of === 'database')) return;
    const unread = new Set(works.filter(({ kind }) => kind === 'registers').flatMap(({ left }) => left.map(({ sn }) => sn)));
    const struck = new Set(draws.flatMap(({ targets }) => targets));
    const healthy = this.#meters.filter(({ sn, dcu }) => !struck.has(sn) && !struck.has(dcu) && this.#fleet.dcus.includes(dcu));
    const endless = draws.filter((draw) => draw.name.startsWith('endless'));
    const dcuOf = (target: string) => this.#fleet.meters.find(({ sn }) => sn === target)?.dcu;
    const troubled = new Set(endless.flatMap(({ targets }) => targets.map(dcuOf)));
    const shareUnread = (meters: readonly KnownMeter[]) => meters.filter(({ sn }) => unread.has(sn)).length / Math.max(1, meters.length);
    const elsewhere = shareUnread(healthy.filter(({ dcu }) => !troubled.has(dcu)));
    for (const { name, targets } of endless)
      for (const target of targets) {
        const neighbours = healthy.filter(({ dcu }) => dcu === dcuOf(target));
        if (shareUnread(neighbours) <= (1 + elsewhere) / 2) continue;
        for (const { sn } of neighbours) if (unread.has(sn)) this.#tell({ t: 'starved', sn, by: name });
      }
  }

  /** Compares the stored data repeatedly while the campaign runs. */
  async #watch(signal: AbortSignal): Promise<void> {
    const changed = new Set(this.#draws.flatMap(({ name, targets }) => (CHANGED.has(name) ? targets : [])));
    while (!signal.aborted) {
      await noteUnkept(this.#product, this.#tell, changed);
      await wait(SAMPLE_EVERY_MS);
    }
    await noteCommitted(this.#product, this.#tell, changed);
  }

  /** Waits until everything ordered is read and collection is up to date. */
  async #recover(wave: 1 | 2, works: readonly Work[]): Promise<void> {
    const limit = this.#product.deadline(RECOVERY_MS);
    const unread = async (work: Work): Promise<string[]> => {
      while (work.left.length > 0 && !limit.isOver) await work.once(limit);
      return work.left.map(({ sn }) => `${sn}/${work.kind}`);
    };
    const left = (await Promise.all([...works.map(unread), this.#untilCollected(limit, wave)])).flat();
    const kind = `wave ${wave}`;
    const ms = Math.round(limit.spentMs);
    if (left.length > 0)
      this.#tell({ t: 'stuck', kind, seed: this.#seed, what: `${left.length} readings are missing: ${left.slice(0, 12).join(' ')}` });
    else this.#tell({ t: 'recovered', kind, seed: this.#seed, ms });
    say(`recovered: ${(ms / 1000).toFixed(0)} s, ${left.length} left`);
  }

  /** Returns the meters that collection has not completed. Meters with endless responses are set aside and complete later. */
  async #untilCollected(limit: Deadline, wave: 1 | 2 | 3): Promise<string[]> {
    // A meter of another stack has other profiles. The open run of a moved meter first fails at its former DCU, so it is collected later.
    const moved = this.#draws.flatMap(({ name, targets }) => (name === 'moved-meter' && wave !== 3 ? targets : []));
    const others = [foreignOf(this.#draws) ?? [], moved].flat();
    // These meters capture at every second boundary only.
    const longer = this.#draws.flatMap(({ name, targets }) => (name === 'other-period' ? targets : []));
    for (;;) {
      const now = this.#product.now();
      const found = await this.#product.rows<{ sn: string; profile: string }>(
        `select m.sn, p.profile from meter m left join meter_exchange e on e.new_meter_id = m.id,
           jsonb_to_recordset($1::jsonb) as p(profile text, due bigint, period bigint)
         where m.inventory_state = 'active' and m.dcu_id is not null and m.sn <> all($2) and ($3 or m.set_aside_until is null)
           and (e.at is null or extract(epoch from e.at) * 1000 < p.due - p.period)
           and coalesce((m.marks ->> ('through:' || p.profile))::numeric, 0) < p.due - case when m.sn = any($4) then p.period else 0 end`,
        [
          JSON.stringify(PROFILES.map((profile) => ({ profile, due: now - BEHIND_MS[profile], period: PERIOD_MS[profile] }))),
          others,
          wave === 3,
          longer,
        ],
      );
      if (found.length === 0) return [];
      if (limit.isOver) return found.map(({ sn, profile }) => `${sn}/collected ${profile}`);
      await wait(1_000);
    }
  }

  /** Changes meters soon after their last capture was read, then moves all clocks by `BETWEEN_MS`. */
  async #change(): Promise<void> {
    await change(this.#tools(), this.#of(2));
    await this.#product.pass(BETWEEN_MS);
  }

  /** Checks hours later that every meter is collected, including those that were set aside. */
  async #afterwards(): Promise<void> {
    await this.#product.pass(AFTER_MS);
    const left = await this.#untilCollected(this.#product.deadline(RECOVERY_MS), 3);
    const what = `${left.length} meters are not collected hours later: ${left.slice(0, 12).join(' ')}`;
    if (left.length > 0) this.#tell({ t: 'stuck', kind: 'hours later', seed: this.#seed, what });
  }

  async #tellStruck(): Promise<void> {
    const times = await struckTimes(this.#product, this.#struck);
    for (const draw of this.#draws)
      for (const target of draw.targets.length > 0 ? draw.targets : [''])
        this.#tell({ t: 'struck', kind: draw.name, target, times: times(draw, target) });
    const { blocks, buffers, longest } = await this.#product.tally();
    this.#tell({ t: 'blocks', blocks, buffers });
    for (const [sn, octets] of Object.entries(longest)) this.#tell({ t: 'longest', sn, octets });
  }
}
