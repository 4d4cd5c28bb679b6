import { dayStart, localDay } from '../../apps/simulator/src/world/calendar.ts';
import type { Line } from '../chaos/history.ts';
import { judge } from '../chaos/judge.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { NewTask } from '../../apps/server/src/tasks/create-task.ts';
import { SwitchLedger } from '../../apps/server/src/platform/switch-ledger.ts';
import { fillArchive } from './archive.ts';
import { useWorld } from './builtins.ts';
import { Recorder } from './contract/recording.ts';
import { isSuperseded } from './database/field-statements.ts';
import { Database } from './database/pool.ts';
import type { Row } from './database/store.ts';
import { createFleet, SCALE, TIME_ZONE, WORLD_SEED, type Fleet } from './fleet.ts';
import { resetModules } from './loader.ts';
import { Machine, Process } from './machine.ts';
import { asCounted, Monitor, type Alteration, type Finding } from './monitor.ts';
import { Network, UNACKNOWLEDGED_MS } from './network.ts';
import {
  planOf,
  type FieldFault,
  type OrderKind,
  type Plan,
  type PlannedAlteration,
  type PlannedFault,
  type PlannedOrder,
  type Round,
} from './plan.ts';
import { DLMS_PORT, OPERATOR, secrets, Server } from './server.ts';
import { raised } from './stand-ins/event-writer.ts';
import { Trace } from './trace.ts';

/** All seeds simulate the same day, so its world is computed once. */
const DAY = localDay(Date.UTC(2026, 2, 4, 4));
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ROUND_MS = 30_000;
/** Time within which every order must have ended, retries included. */
const LIVENESS_MS = 900_000;
/** As in the process-level chaos, plus the time to detect a silent connection. */
const RECOVERY_MS = 300_000;
const STOP_MS = 60_000;
const AGAIN_MS = 1_000;
const LOOK_MS = 500;
const MARK_SENT = 'insert into "relay_sent"';
/** Longer than a statement, shorter than a response of a meter. */
const KILLED_AFTER_MARK_MS = 6;
/** Exceeds every clock step. */
const CLOCK_STEP_MS = 3_700_000;
/** Longer than two and a half heartbeats, plus the check interval. */
const GIVEN_UP_MS = 85_000;

export interface SeedResult {
  seed: number;
  findings: Finding[];
  hash: string;
  events: number;
  statements: number;
  virtualMs: number;
  /** Numbers of judged values, captures, acknowledgements, counters and commands. */
  judged: { values: number; captures: number; acknowledgements: number; counters: number; commands: number };
  struck: string[];
}

export interface RunOptions {
  print?: (line: string) => void;
  /** Receives a line of the recording that PostgreSQL can replay. */
  record?: (line: string) => void;
}

/** One seed, from an empty database to the verdict. */
class Simulation {
  readonly #plan: Plan;
  readonly machine: Machine;
  readonly #network: Network;
  readonly #database: Database;
  readonly #fleet: Fleet;
  readonly #world = new Process('world');
  /** Survives the servers, like the file in their data folder. */
  readonly #switches = new SwitchLedger(undefined, 0);
  readonly #trace: Trace;
  readonly #monitor: Monitor;
  readonly #recorder: Recorder | undefined;
  readonly #dayBeganAt: number;
  readonly #altered = new Map<string, Alteration>();
  readonly #struck = new Set<string>();
  /** The server that marked a command as sent. */
  readonly #markedBy = new Map<string, string>();
  #server: Server | undefined;
  #isUp = false;
  #servers = 0;
  #serverAheadMs = 0;
  #statementsOfRound = 0;
  #commitsOfRound = 0;
  #faults: PlannedFault[] = [];
  #isQuiet = true;
  #isMarking = false;
  /** Pending calls of the living server. */
  readonly #unanswered = new Set<{ again(): void }>();

  constructor(seed: number, { print, record }: RunOptions) {
    this.#plan = planOf(seed);
    this.#dayBeganAt = dayStart(DAY);
    this.machine = new Machine(seed, this.#dayBeganAt + this.#plan.minute * MINUTE_MS);
    const machine = this.machine;
    this.#network = new Network(machine);
    useWorld({ machine, network: this.#network });
    resetModules(() => true);
    raised.length = 0;
    this.#trace = new Trace(print);
    const field = new Process('field');
    machine.current = field;
    this.#fleet = createFleet(machine, this.#plan.fleet, DLMS_PORT, (sn) => this.#relayOrdered(sn));
    machine.current = this.#world;
    this.#database = new Database(machine, new Process('database'));
    this.#database.trouble = { of: (text) => this.#statementFault(text) };
    this.#database.onStatement = (text, outcome) => this.#tell(`statement ${outcome}: ${text.slice(0, 60).replaceAll(/\s+/g, ' ')}`);
    this.#network.onSent = (process, octets) => this.#tell(`${process.name} sends ${octets} octets`);
    fillArchive(this.#database.store, this.#fleet.commissioning, secrets);
    this.#recorder = record && new Recorder(seed, this.#database, record);
    this.#monitor = new Monitor(this.#database.store, this.#dayBeganAt, (meterId) => this.#altered.has(meterId));
    this.#database.onExecuted = (executed) => {
      this.#monitor.executed(executed);
      const { text, values, answer } = executed;
      if (text.startsWith(MARK_SENT) && answer?.rowCount === 1) this.#markedBy.set(String(values[0]), this.#server?.process.name ?? '');
      this.#recorder?.executed(executed);
    };
  }

  #tell(what: string): void {
    this.#trace.add(this.machine.now, what);
  }

  #find(guarantee: string, what: string): void {
    this.#tell(`finding ${guarantee}: ${what}`);
    this.#monitor.find(guarantee, what);
  }

  // ── Life cycle of the server ──

  #startServer(): void {
    resetModules((path) => path.startsWith('apps/server/'));
    const listening = {
      say: (level: string, message: string, fields: Record<string, unknown>) => this.#said(server, level, message, fields),
      begun: (itemId: string) => this.#monitor.begun(itemId, server.process.name),
      ended: (itemId: string) => this.#monitor.ended(itemId),
    };
    const server = new Server(this.#database, ++this.#servers, listening, this.#switches);
    server.process.wallAheadMs = this.#serverAheadMs;
    this.#server = server;
    this.#tell(`${server.process.name} starts`);
    this.machine.schedule(server.process, 0, () => {
      server.start().then(
        () => (this.#isUp = true),
        (error: unknown) => {
          // The program ends if it cannot start, and its supervisor restarts it.
          this.#tell(`${server.process.name} failed to start: ${String(error)}`);
          this.#kill('killed', AGAIN_MS);
        },
      );
    });
  }

  #said(server: Server, level: string, message: string, fields: Record<string, unknown>): void {
    const { error } = fields;
    const text = error instanceof Error ? ` (${'code' in error ? String(error.code) : ''} ${error.message})` : '';
    this.#tell(`${server.process.name} ${level}: ${message}${text}`);
    if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
      this.#find('bug', `${message}: ${error.stack ?? error.message}`);
  }

  #kill(how: 'killed' | 'powerless', downMs: number): void {
    const server = this.#server;
    if (server === undefined) return;
    this.#tell(`${server.process.name} is ${how}`);
    this.#struck.add(`server ${how}`);
    this.#isUp = false;
    this.#server = undefined;
    server.kill(this.machine, how, this.#network);
    for (const { again } of this.#unanswered) again();
    this.#unanswered.clear();
    this.machine.schedule(this.#world, downMs, () => this.#startServer());
  }

  /** Stops the server as a signal would, and starts the next one. */
  #restart(downMs: number): void {
    const server = this.#server;
    if (server === undefined || !this.#isUp) return;
    this.#isUp = false;
    this.#struck.add('server stopped');
    this.#tell(`${server.process.name} is stopped`);
    let isOver = false;
    const next = (): void => {
      if (isOver) return;
      isOver = true;
      if (this.#server === server) this.#kill('killed', downMs);
    };
    this.machine.schedule(server.process, 0, () => {
      server.stop().then(next, (error: unknown) => {
        this.#tell(`the stop failed: ${String(error)}`);
        next();
      });
    });
    this.machine.schedule(this.#world, STOP_MS, () => {
      if (!isOver && this.#server === server) this.#find('liveness', `${server.process.name} does not stop within ${STOP_MS} ms`);
      next();
    });
  }

  // ── Faults ──

  #statementFault(text: string): ReturnType<Database['trouble']['of']> {
    if (this.#isQuiet) return undefined;
    const at = ++this.#statementsOfRound;
    if (text === 'commit') this.#commitsOfRound++;
    if (text.startsWith(MARK_SENT)) this.#isMarking = true;
    for (const fault of this.#faults) {
      if (fault.of === 'relay' && text === 'commit' && this.#isMarking) {
        this.#isMarking = false;
        this.machine.schedule(this.#world, KILLED_AFTER_MARK_MS, () => this.#kill('killed', fault.downMs));
      }
      if (fault.of === 'server at' && fault.statement === at)
        this.machine.schedule(this.#world, 1, () => this.#kill('killed', fault.downMs));
      if (fault.of === 'statement' && at >= fault.statement && at < fault.statement + fault.times) {
        this.#struck.add(`statement ${fault.fault}`);
        return fault.fault;
      }
      if (fault.of === 'commit' && text === 'commit' && this.#commitsOfRound === fault.count) {
        this.#struck.add(`commit ${fault.fault}`);
        return fault.fault;
      }
    }
    return undefined;
  }

  #targetOf({ on, target }: FieldFault): string {
    const { dcus, meters } = this.#fleet.commissioning;
    return (on === 'dcu' ? dcus[target] : meters[target])?.sn ?? '';
  }

  #begin(fault: PlannedFault): void {
    const { machine } = this;
    switch (fault.of) {
      case 'field':
        return void machine.schedule(this.#world, fault.atMs, () => this.#beginField(fault));
      case 'server':
        return void machine.schedule(this.#world, fault.atMs, () =>
          fault.how === 'stopped' ? this.#restart(fault.downMs) : this.#kill(fault.how, fault.downMs),
        );
      case 'database':
        return void machine.schedule(this.#world, fault.atMs, () => {
          this.#struck.add('database');
          const lost = this.#database.crash(fault.downMs);
          this.#tell(`the database crashes for ${fault.downMs} ms; ${lost} commits were not on disk`);
        });
      case 'line':
        return void machine.schedule(this.#world, fault.atMs, () => this.#breakLine(fault.how, fault.target));
      case 'slowness':
        machine.schedule(this.#world, fault.atMs, () => {
          this.#struck.add('slowness');
          this.#network.slowness = fault.factor;
        });
        return void machine.schedule(this.#world, fault.atMs + fault.lastsMs, () => (this.#network.slowness = 1));
      case 'clock':
        return void machine.schedule(this.#world, fault.atMs, () => this.#stepClock(fault.whose, fault.byMs));
      case 'server at':
      case 'relay':
      case 'statement':
      case 'commit':
        return;
    }
  }

  #beginField(fault: FieldFault): void {
    const { kind, on, count, delayMs, lastsMs } = fault;
    const target = this.#targetOf(fault);
    const { meters } = this.#fleet.commissioning;
    const to = meters[(fault.target + 1) % meters.length];
    // Requests can only be redirected to a meter behind the same DCU.
    const own = meters[fault.target];
    if (kind === 'crossed' && to?.dcuSn !== own?.dcuSn) return;
    this.#tell(`fault ${kind} at ${target}`);
    this.#fleet.faults.add({
      target,
      kind,
      ...(count === undefined ? {} : { count }),
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(kind === 'crossed' ? { to: to?.sn ?? '' } : {}),
    });
    // The other meter has no authentication, so its name is the only distinction.
    if (kind === 'crossed') this.#fleet.faults.add({ target: to?.sn ?? '', kind: 'unprotected' });
    this.machine.schedule(this.#world, lastsMs, () => {
      if (kind === 'half_open' && on === 'dcu' && this.#fleet.faults.has(target, kind) && lastsMs > GIVEN_UP_MS)
        this.#requireGivenUp(target);
      this.#fleet.faults.clear(target, kind);
    });
  }

  /** Changes a meter without telling the head-end, which must detect it. */
  #alter({ kind, target }: PlannedAlteration): void {
    const sn = this.#fleet.commissioning.meters[target]?.sn ?? '';
    const meterId = this.#idOf(sn);
    const at = this.machine.trueMs;
    this.#tell(`${sn} is altered: ${kind}`);
    this.#fleet.faults.add({ target: sn, kind, at });
    this.#altered.set(meterId, { kind, at });
  }

  #idOf(sn: string): string {
    return String(this.#database.store.rows('meter').find((meter) => meter['sn'] === sn)?.['id']);
  }

  /** A DCU that has been unresponsive for this time must be offline, while a server is running. */
  #requireGivenUp(sn: string): void {
    const dcu = this.#database.store.rows('dcu').find((one) => one['sn'] === sn);
    const session = this.#database.store
      .rows('dcu_session')
      .findLast((one) => one['dcu_id'] === dcu?.['id'] && one['identified_at'] !== null);
    const openMs = this.machine.trueMs + this.#database.process.wallAheadMs - Number(session?.['identified_at'] ?? Number.NaN);
    if (this.#isUp && dcu?.['online_status'] === 'online' && openMs > GIVEN_UP_MS)
      this.#find('liveness', `${sn} has been unresponsive for ${Math.round(openMs)} ms and is still online`);
  }

  #breakLine(how: 'reset' | 'silent', target: number): void {
    const dcu = this.#fleet.commissioning.dcus[target]?.sn ?? '';
    const sockets = [...this.#network.sockets].filter((socket) => socket.process.name === 'field');
    const socket = sockets[target % Math.max(1, sockets.length)];
    if (socket === undefined) return;
    this.#struck.add(`line ${how}`);
    this.#tell(`the connection of a DCU (${dcu}) is ${how}`);
    this.#network.breakConnections(how, (one) => one === socket);
    // Its own system detects unacknowledged data.
    if (how === 'silent') socket.fail('ETIMEDOUT', this.machine.between(UNACKNOWLEDGED_MS.from, UNACKNOWLEDGED_MS.to));
  }

  #stepClock(whose: 'server' | 'database', byMs: number): void {
    this.#struck.add(`clock of the ${whose}`);
    this.#tell(`the clock of the ${whose} is set by ${byMs} ms`);
    if (whose === 'database') this.#database.process.wallAheadMs += byMs;
    else {
      this.#serverAheadMs += byMs;
      if (this.#server !== undefined) this.#server.process.wallAheadMs = this.#serverAheadMs;
    }
  }

  // ── Orders ──

  #taskOf(kind: OrderKind | 'relay_read', meters: readonly number[]): NewTask {
    const { meters: all, dcus } = this.#fleet.commissioning;
    const items = meters.map((place) => ({
      deviceKind: 'meter' as const,
      dcuId: String(1 + dcus.findIndex(({ sn }) => sn === all[place]?.dcuSn)),
      meterId: String(1 + place),
    }));
    const yesterday = new Date(this.#dayBeganAt - DAY_MS / 2).toISOString().slice(0, 10);
    const params: Record<string, Record<string, unknown>> = {
      collect: { profiles: ['lpa'], lookBackDays: 1 },
      lpa: { from: yesterday, to: yesterday, store: true },
      energy: { from: yesterday, to: yesterday, store: true },
      registers: { items: ['E_PLUS', 'E_MINUS'], store: true },
    };
    const priority = kind === 'collect' ? 5 : kind.startsWith('relay') ? 1 : 3;
    const source = kind === 'collect' ? 'plan' : 'user';
    return { kind, source, title: kind, params: params[kind] ?? {}, priority, createdBy: OPERATOR, items };
  }

  /** Repeats work with the living server until it succeeds, even if the server dies before it responds. */
  #insist(what: string, work: (server: Server) => Promise<void>): void {
    const server = this.#server;
    const again = (): void => void this.machine.schedule(this.#world, AGAIN_MS, () => this.#insist(what, work));
    if (server === undefined || !this.#isUp) return again();
    const unanswered = { again };
    this.#unanswered.add(unanswered);
    this.machine.schedule(server.process, 0, () => {
      work(server).then(
        () => this.#unanswered.delete(unanswered),
        (error: unknown) => {
          this.#tell(`${what} failed: ${String(error)}`);
          if (this.#unanswered.delete(unanswered)) again();
        },
      );
    });
  }

  #give({ atMs, kind, meters, change }: PlannedOrder, isDone: () => void): void {
    this.machine.schedule(this.#world, atMs, () =>
      this.#insist(`order ${kind}`, async (server) => {
        const id = await server.order(this.#taskOf(kind, meters));
        this.#tell(`task ${id} is ${kind} of ${meters.join(', ')}`);
        isDone();
        if (change !== undefined) this.machine.schedule(this.#world, change.afterMs, () => this.#change(id, change.what));
      }),
    );
  }

  #change(taskId: string, what: 'pause' | 'cancel' | 'retry'): void {
    this.#insist(`${what} of task ${taskId}`, async (server) => {
      const count = await server.change(what, taskId);
      this.#tell(`${what} of task ${taskId}: ${count} items`);
      if (what !== 'pause') return;
      this.machine.schedule(this.#world, ROUND_MS / 3, () =>
        this.#insist(`resume of task ${taskId}`, async (other) => void (await other.change('resume', taskId))),
      );
    });
  }

  #openItems(): Row[] {
    return this.#database.store.rows('task_item').filter((item) => item['state'] === 'waiting' || item['state'] === 'reading');
  }

  // ── Course of a seed ──

  async run(): Promise<SeedResult> {
    this.#startServer();
    await this.#until('the server is started and the DCUs are connected', () => this.#isUp && this.#allOnline(), RECOVERY_MS);
    const [first, second] = this.#plan.rounds;
    const [before, after] = this.#plan.passesMs;
    await this.#round(first);
    this.#pass(before);
    if (this.#plan.alteration !== undefined) this.#alter(this.#plan.alteration);
    this.#pass(after);
    await this.#round(second);
    await this.#recover();
    await this.#settleRelays();
    await this.#stop();
    this.#recorder?.end();
    return this.#verdict();
  }

  async #until(what: string, isDone: () => boolean, withinMs: number): Promise<boolean> {
    const isReached = await this.machine.runUntil(() => isDone() || this.machine.uncaught.length > 0, this.machine.now + withinMs);
    if (!isReached && this.machine.uncaught.length === 0) this.#find('liveness', `${what}: not within ${withinMs} ms`);
    return isReached;
  }

  #allOnline(): boolean {
    return this.#database.store.rows('dcu').every((dcu) => dcu['online_status'] === 'online');
  }

  async #round({ orders, faults }: Round): Promise<void> {
    this.#tell('a round begins');
    this.#faults = faults;
    this.#statementsOfRound = this.#commitsOfRound = 0;
    this.#isQuiet = false;
    const given = new Set<PlannedOrder>();
    for (const fault of faults) this.#begin(fault);
    for (const order of orders) this.#give(order, () => void given.add(order));
    const lasts = Math.max(
      ROUND_MS,
      ...faults.map((fault) => (fault.of === 'field' && fault.kind === 'half_open' ? fault.atMs + fault.lastsMs + 1 : 0)),
    );
    await this.machine.runUntil(() => this.machine.uncaught.length > 0, this.machine.now + lasts);
    this.#isQuiet = true;
    for (const { target, kind } of this.#fleet.faults.list())
      if (kind !== this.#plan.alteration?.kind) this.#fleet.faults.clear(target, kind);
    this.#tell('the faults of the round are over');
    // Delays in the queue follow the database's clock: where it was set back, they are longer by that step.
    if (faults.some((fault) => fault.of === 'clock' && fault.whose === 'database')) this.#pass(CLOCK_STEP_MS);
    await this.#until('every order has ended', () => given.size === orders.length && this.#openItems().length === 0, LIVENESS_MS);
  }

  /** Suspends the whole world for a while: clocks advance, timers do not. */
  #pass(ms: number): void {
    this.machine.beganAt += ms;
    this.#tell(`${ms} ms pass at once`);
  }

  /** Waits until every meter is read again without intervention. */
  async #recover(): Promise<void> {
    const { meters } = this.#fleet.commissioning;
    const left = new Set(meters.keys());
    const deadline = this.machine.now + RECOVERY_MS;
    while (left.size > 0 && this.machine.now < deadline && this.machine.uncaught.length === 0) {
      let isGiven = false;
      const before = this.#database.store.rows('task_item').length;
      this.#give({ atMs: 0, kind: 'registers', meters: [...left], change: undefined }, () => (isGiven = true));
      await this.machine.runUntil(() => isGiven && this.#openItems().length === 0, deadline);
      for (const item of this.#database.store.rows('task_item').slice(before))
        if (item['state'] === 'read_success') left.delete(Number(item['meter_id']) - 1);
      await this.machine.runUntil(() => false, this.machine.now + LOOK_MS);
    }
    if (left.size > 0)
      this.#find('recovery', `${[...left].map((place) => meters[place]?.sn).join(' ')}: not read again within ${RECOVERY_MS} ms`);
  }

  /** Reads every relay, which settles unknown outcomes. */
  async #settleRelays(): Promise<void> {
    const open = this.#database.store.rows('relay_command').filter(({ state }) => state === 'sent' || state === 'unknown');
    if (open.length === 0) return;
    const places = [...new Set(open.map((command) => Number(command['meter_id']) - 1))];
    let isGiven = false;
    this.#insist('order relay_read', async (server) => {
      await server.order(this.#taskOf('relay_read', places));
      isGiven = true;
    });
    await this.#until('relays are read', () => isGiven && this.#openItems().length === 0, RECOVERY_MS);
  }

  async #stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined || this.machine.uncaught.length > 0) return;
    // Watermarks and counters are written a few seconds after the work.
    await this.machine.runUntil(() => false, this.machine.now + 8_000);
    try {
      await this.machine.perform(server.process, () => server.stop(), this.machine.now + STOP_MS);
    } catch (error) {
      this.#find('liveness', `The server failed to stop: ${String(error)}`);
    }
  }

  async #verdict(): Promise<SeedResult> {
    for (const error of this.machine.uncaught)
      this.#find('bug', `Uncaught: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    for (const statement of this.#database.unknown) this.#find('model', `No model for this statement: ${statement}`);
    for (const { target, kind, times } of this.#fleet.faults.strikes()) if (times > 0) this.#struck.add(`${kind} ${target}`);
    this.#relayOrders();
    const { violations, judged } = await judge(this.#history());
    for (const { guarantee, what } of violations) this.#find(guarantee, what);
    const { values, captures, acknowledgements, counters, commands } = judged;
    return {
      seed: this.#plan.seed,
      findings: this.#monitor.findings,
      hash: this.#trace.digest(),
      events: this.machine.events,
      statements: this.#database.statements,
      virtualMs: Math.round(this.machine.now),
      judged: { values, captures, acknowledgements: acknowledgements + this.#monitor.acknowledgements, counters, commands },
      struck: [...this.#struck],
    };
  }

  /** A command marked by a dead server must not be sent by its successor: it may have been executed. */
  #relayOrdered(sn: string): void {
    const { store } = this.#database;
    const mark = store.rows('relay_sent').findLast((row) => row['meter_id'] === this.#idOf(sn));
    const by = mark && this.#markedBy.get(String(mark['command_id']));
    const now = this.#server?.process.name;
    if (by !== undefined && now !== undefined && by !== now) this.#find('G4', `${sn}: marked as sent by ${by}, and sent by ${now}`);
  }

  /** Each command on the wire must have been marked as sent before, and each mark has one command. */
  #relayOrders(): void {
    const { store } = this.#database;
    for (const [sn, times] of this.#fleet.relayOrders()) {
      const marks = store.rows('relay_sent').filter((row) => row['meter_id'] === this.#idOf(sn)).length;
      if (times > marks) this.#find('G4', `${sn}: ${times} commands to its relay were sent, ${marks} are marked as sent`);
    }
  }

  /** The history of the seed in the format of the process-level chaos, for its judge. */
  *#history(): Generator<Line> {
    const { store } = this.#database;
    const sn = (table: 'dcu' | 'meter', id: unknown): string => String(store.get(table, String(id))?.['sn']);
    yield { t: 'begin', seed: WORLD_SEED, scale: SCALE, at: this.machine.beganAt, timeZone: TIME_ZONE };
    yield { t: 'end', at: this.machine.trueMs };
    yield* this.#fleet.oracleEntries;
    for (const row of store.rows('reading_profile')) {
      const altered = this.#altered.get(String(row['meter_id']));
      const meterSn = sn('meter', row['meter_id']);
      const seen = asCounted(row, meterSn, altered);
      yield {
        t: 'row',
        sn: meterSn,
        dcu: sn('dcu', store.get('meter', String(row['meter_id']))?.['dcu_id']),
        profile: row['profile'] as 'lpa' | 'energy', // as: no other is ordered here
        day: new Date(Number(row['day']) * DAY_MS).toISOString().slice(0, 10),
        periodS: Number(row['period_s']),
        leadS: Number(row['lead_s']),
        status: row['status'] as (number | null)[], // as: written by the statements of readings
        columns: Object.fromEntries(CHANNELS.map(({ column }) => [column, (seen[column] ?? null) as (number | null)[] | null])), // as: the same
      };
    }
    for (const row of store.rows('arrival_day')) {
      const got = (row['got'] as number[]).reduce((sum, count) => sum + count, 0); // as: written by the statements of readings
      yield { t: 'counted', dcu: sn('dcu', row['dcu_id']), profile: row['profile'] as 'lpa' | 'energy', got }; // as: no other is ordered
    }
    for (const row of store.rows('relay_command'))
      yield {
        t: 'command',
        id: String(row['id']),
        sn: sn('meter', row['meter_id']),
        operation: String(row['operation']),
        state: String(row['state']),
        isSent: store.get('relay_sent', String(row['id'])) !== undefined,
        isFollowed: isSuperseded(store, row),
      };
  }
}

let running: Machine | undefined;

/** Records errors that would end a Node process as findings of the running seed. */
export function catchUncaught(): void {
  const keep = (error: unknown): void => void running?.uncaught.push(error);
  process.on('uncaughtException', keep);
  process.on('unhandledRejection', keep);
}

/** Runs one seed in the world of this thread. */
export async function runSeed(seed: number, options: RunOptions = {}): Promise<SeedResult> {
  const simulation = new Simulation(seed, options);
  running = simulation.machine;
  return simulation.run();
}
