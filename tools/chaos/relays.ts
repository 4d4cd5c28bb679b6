import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { say } from '../lib/say.mjs';
import type { Draw, Fleet } from './fleet-shape.ts';
import { UNAUTHORIZED } from './operators.ts';
import type { Subject } from './subject.ts';

const SWITCH_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 250;
const ENDED_WITHIN_MS = 150_000;
const PLACE_TRIES = 30;
const PLACE_EVERY_MS = 1_000;
/** Repetitions of the same order by a caller. */
const TIMES = 4;

/**
 * Switches supplies off and on again while faults are active. Each meter is switched once in each direction: one execution
 * is one command.
 */
export class Relays {
  readonly #product: Subject;
  #fresh: string[];
  /** Serial numbers of meters that were disconnected and not yet reconnected. */
  readonly #off: string[] = [];

  constructor(product: Subject, fleet: Fleet) {
    this.#product = product;
    this.#fresh = fleet.meters.filter(({ isSwitchable }) => isSwitchable).map(({ sn }) => sn);
  }

  async work(draws: readonly Draw[], signal: AbortSignal): Promise<void> {
    const first = draws.filter(({ name }) => name === 'lost-switch').flatMap(({ targets }) => targets);
    const struck = new Set(draws.flatMap(({ targets }) => targets));
    const isRepeated = draws.some(({ spec }) => spec.trouble.of === 'caller');
    const off = await this.#alreadyOff();
    this.#off.push(...[...off].filter((sn) => !this.#off.includes(sn)));
    const others = this.#fresh.filter((sn) => !struck.has(sn) && !off.has(sn));
    // Spread over the fleet.
    const step = Math.max(1, Math.floor(others.length / 24));
    const turn = [...first, ...others.filter((_sn, index) => index % step === 0)];
    this.#fresh = this.#fresh.filter((sn) => !turn.includes(sn));
    while (!signal.aborted && turn.length > 0) {
      const sn = turn.shift();
      if (sn !== undefined) {
        await this.#order(sn, 'disconnect', isRepeated ? TIMES : 1);
        if (!this.#off.includes(sn)) this.#off.push(sn);
      }
      turn.push(...(await this.#neverSent(first)).filter((again) => !turn.includes(again)));
      const back = await this.#disconnected();
      if (back !== undefined) await this.#order(back, 'connect', isRepeated ? TIMES : 1);
      await wait(SWITCH_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Meters that are disconnected, also by an earlier seed on the same start: they are reconnected, and not disconnected again. */
  async #alreadyOff(): Promise<Set<string>> {
    const found = await this.#product.rows<{ sn: string }>(
      `select m.sn from (select distinct on (c.meter_id) c.meter_id, c.operation from relay_command c join relay_sent s on s.command_id = c.id
         order by c.meter_id, c.id desc) as last
       join meter m on m.id = last.meter_id where last.operation = 'disconnect'`,
    );
    return new Set(found.map(({ sn }) => sn));
  }

  /** A meter whose supply is known to be disconnected; each is returned once. */
  async #disconnected(): Promise<string | undefined> {
    const found = await this.#product.rows<{ sn: string }>(
      `select m.sn from (select distinct on (meter_id) meter_id, operation, state from relay_command order by meter_id, id desc) as last
       join meter m on m.id = last.meter_id where last.operation = 'disconnect' and last.state = 'done' and m.sn = any($1) limit 1`,
      [this.#off],
    );
    const [one] = found;
    if (one !== undefined) this.#off.splice(this.#off.indexOf(one.sn), 1);
    return one?.sn;
  }

  /** Meters whose last command ended before it was sent, because the head-end had no descriptors or no database. */
  async #neverSent(sns: readonly string[]): Promise<string[]> {
    const found = await this.#product.rows<{ sn: string }>(
      `select sn from (select distinct on (m.sn) m.sn, i.state, i.reason_code from task_item i join meter m on m.id = i.meter_id
         where i.kind = 'relay_disconnect' and m.sn = any($1) order by m.sn, i.id desc) as last
       where state = 'read_fail' and reason_code = 'STORAGE_UNAVAILABLE'`,
      [sns],
    );
    return found.map(({ sn }) => sn);
  }

  async #order(sn: string, operation: 'connect' | 'disconnect', times: number): Promise<void> {
    const [meter] = await this.#product.rows<{ id: string }>('select id from meter where sn = $1', [sn]);
    const order = {
      requestId: randomUUID(),
      meterIds: [meter?.id ?? ''],
      operation,
      reason: 'Chaos',
      workOrder: 'CHAOS',
    };
    // Both directions count for the limit of one user; a repetition does not.
    await Promise.all(Array.from({ length: times }, (_, time) => this.#place(order, time === 0 ? 1 : 0)));
  }

  /** Repeats an order until it is answered, since a server that is killed places none. Its number prevents a second execution. */
  async #place(order: { requestId: string }, switches: number): Promise<void> {
    for (let tries = 0; tries < PLACE_TRIES; tries++) {
      const answer = await this.#product.call('POST', '/action/relay', order, tries === 0 ? switches : 0);
      // Tokens are refused while the clock of the server is wrong.
      const isPlaced = answer !== undefined && answer.status < 500 && answer.status !== UNAUTHORIZED;
      if (isPlaced && answer.status >= 400) say(`an order of a switch was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      if (isPlaced) return;
      await wait(PLACE_EVERY_MS);
    }
  }

  /** Waits for commands in progress, and reads every relay with an unknown outcome. */
  async finish(): Promise<void> {
    await this.#untilNone(
      "select from task_item where kind in ('relay_disconnect', 'relay_connect') and state in ('waiting', 'reading') and not_before < now() + interval '10 minutes' limit 1",
    );
    const unknown = await this.#product.rows<{ id: string }>(
      "select distinct meter_id as id from relay_command where state in ('sent', 'unknown')",
    );
    if (unknown.length === 0) return;
    await this.#product.call('POST', '/action/relay/read', { meterIds: unknown.map(({ id }) => id) });
    await this.#untilNone("select from task_item where kind = 'relay_read' and state in ('waiting', 'reading') limit 1");
  }

  async #untilNone(statement: string): Promise<void> {
    for (const limit = this.#product.deadline(ENDED_WITHIN_MS); !limit.isOver; await wait(LOOK_EVERY_MS))
      if ((await this.#product.rows(statement)).length === 0) return;
  }
}
