import type { Pool } from 'pg';
import { monotonicNow, msBetween, msFromNow, NEVER, type MonotonicMs } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { RequestBatcher } from './request-batcher.ts';
import type { Memory } from './memory.ts';
import { keepMemories, updateDcus, updateMeters, type DcuNews, type MeterNews } from './queries.ts';

const WRITE_EVERY_MS = 1_000;
/** News of a meter wait so long for what follows: mostly its readings are committed by then, and one version of its row says it all. */
const RIPE_MS = 1_000;
/**
 * Meters are written in turns, those with neighbouring numbers never together: a page of the table then has room for the new
 * versions of its rows, and what the turn before left behind is cleared away. Written all at once, every third would have to
 * move to another page, and all indexes with it.
 */
const TURNS = 8;
/** DCUs are written in one turn of all: while a fleet is read each is heard in every one. */
const DCU_TURN = 0;
const ROWS_PER_STATEMENT = 1_000;
/** Meters whose rows wait for what they told: a fleet that is read for the first time is written many at a time. */
const KEPT_TOGETHER = { waitMs: 2, maxItems: ROWS_PER_STATEMENT };

/** Of a meter of which nothing is known but that it was heard. */
const UNHEARD = { peerCounter: -1, marks: undefined, memory: undefined } as const;

/** Marks come with the memory they are about, which mostly is the one that was. */
const hasLearnt = (memory: MeterNews['memory']): memory is NonNullable<MeterNews['memory']> =>
  memory !== undefined && memory.after !== memory.before;

/** By meter, in the order in which they were first heard; `since` by the process's own clock. */
type Waiting = Map<string, MeterNews & { since: MonotonicMs }>;

/** Takes what has been waiting since then, the oldest first. */
function take(waiting: Waiting, since: MonotonicMs): MeterNews[] {
  const taken: MeterNews[] = [];
  for (const news of waiting.values()) {
    if (msBetween(since, news.since) > 0) break;
    waiting.delete(news.id);
    taken.push(news);
  }
  return taken;
}

/**
 * Writes state of devices that changes with every exchange: last contact, highest counter, metadata, watermarks. Changes of a device are
 * coalesced into one write of its row. It has a timer of its own instead of a `DebouncedFlush`, because each tick writes one shard only.
 */
export class Presence {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #meters = Array.from({ length: TURNS }, (): Waiting => new Map());
  /** Told of meters whose memory is not, or no longer, the one that was learnt here. */
  onLost: (ids: string[]) => void = () => undefined;
  #turn = 0;
  readonly #dcus = new Map<string, number>();
  /** Meters that were forgotten while they were written: what could not be written of them is not written later. */
  readonly #forgotten = new Set<string>();
  /** What meters told that is not in the database yet. */
  readonly #unkept = new Map<string, Memory>();
  /** Meters of the write that runs. */
  #inFlight: ReadonlySet<string> = new Set();
  readonly #keeping: RequestBatcher<string, void>;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
    this.#keeping = new RequestBatcher((ids) => this.#keep(ids), KEPT_TOGETHER);
  }

  #meter(id: string): MeterNews {
    const meters = this.#turnOf(id);
    let news = meters.get(id);
    if (news === undefined)
      meters.set(
        id,
        (news = { id, heardAt: null, readAt: null, peerCounter: -1, marks: undefined, memory: undefined, since: monotonicNow() }),
      );
    this.#arm();
    return news;
  }

  #turnOf(id: string): Waiting {
    return this.#meters[Number(id) % TURNS] as Waiting; // as: there is one for each remainder
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.#start(), WRITE_EVERY_MS / TURNS);
  }

  meterHeard(id: string, at: number, peerCounter: number): void {
    const news = this.#meter(id);
    news.heardAt = at;
    news.peerCounter = Math.max(news.peerCounter, peerCounter);
  }

  meterRead(id: string, at: number): void {
    this.#meter(id).readAt = at;
  }

  /** A meter that had one memory has another. */
  learnt(id: string, before: Memory, after: Memory): void {
    const news = this.#meter(id);
    news.memory = { before: news.memory?.before ?? before, after };
    this.#unkept.set(id, after);
  }

  /** Whether the database does not hold everything yet that this process knows about a meter. */
  isUnsaved(id: string): boolean {
    return this.#turnOf(id).has(id) || this.#unkept.has(id) || this.#inFlight.has(id);
  }

  /**
   * Resolves once what the meter told about itself, and the marks that go with it, lie in the database. Rejects when they cannot be
   * written. Rows must not be stored before: a head-end that is killed between the two would not know how they were counted.
   */
  async kept(id: string): Promise<void> {
    if (this.#unkept.has(id)) await this.#keeping.load(id);
  }

  async #keep(ids: string[]): Promise<void[]> {
    const isWritten = this.#writing.then(() =>
      this.#write(
        ids.flatMap((id) => this.#takeMeter(id)),
        [],
      ),
    );
    this.#writing = isWritten.then(() => undefined);
    if (!(await isWritten)) throw new Error('What meters told of themselves could not be written');
    return ids.map(() => undefined);
  }

  #takeMeter(id: string): MeterNews[] {
    const waiting = this.#turnOf(id);
    const news = waiting.get(id);
    waiting.delete(id);
    return news === undefined ? [] : [news];
  }

  /** Of two marks with one name the later holds. They hold with the memory that the meter has, and with no other. */
  mark(id: string, key: string, at: number, memory: Memory): void {
    const news = this.#meter(id);
    const marks = (news.marks ??= {});
    marks[key] = Math.max(at, marks[key] ?? at);
    news.memory ??= { before: memory, after: memory };
  }

  /**
   * A meter with other keys counts anew, another in its place is read anew: what was heard before must not be written over that. A mark
   * that is lost is only read again.
   */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#forgotten.add(id);
      this.#unkept.delete(id);
      const news = this.#turnOf(id).get(id);
      if (news !== undefined) Object.assign(news, UNHEARD);
    }
  }

  dcuHeard(id: string, at: number): void {
    this.#dcus.set(id, at);
    this.#arm();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = (this.#turn = (this.#turn + 1) % TURNS);
    this.#writing = this.#writing.then(async () => {
      await this.#write(take(this.#meters[now] ?? new Map(), msFromNow(-RIPE_MS)), now === DCU_TURN ? this.#takeDcus() : []);
    });
    if (this.#dcus.size > 0 || this.#meters.some((waiting) => waiting.size > 0)) this.#arm();
  }

  #takeDcus(): DcuNews[] {
    const taken = [...this.#dcus].map(([id, heardAt]) => ({ id, heardAt: new Date(heardAt) }));
    this.#dcus.clear();
    return taken;
  }

  /** Answers whether all of it was written. */
  async #write(meters: MeterNews[], dcus: DcuNews[]): Promise<boolean> {
    this.#forgotten.clear();
    this.#inFlight = new Set(meters.map(({ id }) => id));
    let written = 0;
    try {
      await keepMemories(this.#pool, new Set(meters.flatMap(({ memory }) => (hasLearnt(memory) ? memory.after : []))));
      for (; written < meters.length; written += ROWS_PER_STATEMENT) {
        const together = meters.slice(written, written + ROWS_PER_STATEMENT);
        this.onLost(await updateMeters(this.#pool, together));
        for (const { id, memory } of together) if (this.#unkept.get(id) === memory?.after) this.#unkept.delete(id);
      }
      if (dcus.length > 0) await updateDcus(this.#pool, dcus);
      this.#isFailing = false;
      return true;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('Presence could not be written, and is written later', { error });
      this.#isFailing = true;
      for (const news of meters.slice(written)) this.#putBack(news);
      for (const { id, heardAt } of dcus) if (!this.#dcus.has(id)) this.#dcus.set(id, heardAt.getTime());
      return false;
    } finally {
      this.#inFlight = new Set();
    }
  }

  /** What could not be written waits for the next turn, below what was heard since: a mark that this process acts by is not read again. */
  #putBack(news: MeterNews): void {
    const waiting = this.#turnOf(news.id);
    const old = this.#forgotten.has(news.id) ? { ...news, ...UNHEARD } : news;
    const fresh = waiting.get(old.id);
    const memory =
      old.memory === undefined || fresh?.memory === undefined
        ? (fresh?.memory ?? old.memory)
        : { before: old.memory.before, after: fresh.memory.after };
    waiting.set(old.id, {
      id: old.id,
      heardAt: fresh?.heardAt ?? old.heardAt,
      readAt: fresh?.readAt ?? old.readAt,
      peerCounter: Math.max(old.peerCounter, fresh?.peerCounter ?? -1),
      marks: old.marks === undefined && fresh?.marks === undefined ? undefined : { ...old.marks, ...fresh?.marks },
      memory,
      since: fresh?.since ?? monotonicNow(),
    });
    this.#arm();
  }

  /** Writes what is waiting. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write(
      this.#meters.flatMap((waiting) => take(waiting, NEVER)),
      this.#takeDcus(),
    );
    clearTimeout(this.#timer);
  }
}
