import { appendFileSync, createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dayStart, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { Campaign, LOOK_BACK_DAYS, planOf, type PlanOrder } from './campaign.ts';
import { dump, noteMarks } from './dump.ts';
import { historyIn, type History, type Line } from './history.ts';
import type { Strike } from './inject.ts';
import type { Subject } from './subject.ts';

/** Between two seeds on one start. A midnight or two pass, so that each seed has captures and freezes of its own to collect. */
const BETWEEN_SEEDS_MS = 30 * 3_600_000;

/** Where the history of a seed begins in what all seeds of a start have in common. */
export interface Begin {
  oraclePosition: number;
  commandId: string;
}

/** A subject that is tortured by one seed after the other; later ones find what the earlier ones have stored. */
export class SeveralSeeds {
  readonly #subject: Subject;
  readonly #strike: Strike;
  #seeds = 0;

  constructor(subject: Subject, strike: Strike) {
    this.#subject = subject;
    this.#strike = strike;
  }

  /** Number of runs so far. */
  get count(): number {
    return this.#seeds;
  }

  /** Tortures the running subject by one seed; returns the file of its history. The oracle is read while the field still runs. */
  async run(worldSeed: number, order: PlanOrder): Promise<string> {
    const subject = this.#subject;
    if (this.#seeds++ > 0) await subject.pass(BETWEEN_SEEDS_MS);
    const begin = await this.#begin();
    const file = join(subject.folder, `history-${this.#seeds}.jsonl`);
    const tell = historyIn(file);
    const begun = subject.now();
    const { scale, direct } = subject.options;
    tell({ t: 'begin', seed: worldSeed, scale, direct, at: begun });
    await new Campaign(subject, tell, planOf(worldSeed, order), this.#strike).run();
    await noteMarks(subject.pool, tell, dayStart(localDay(begun) - LOOK_BACK_DAYS + 1));
    await dump(subject.pool, commandsAfter(begin, tell), subject.now());
    for await (const line of oracleAfter(subject.oracleFile, begin)) appendFileSync(file, `${line}\n`);
    return file;
  }

  async #begin(): Promise<Begin> {
    const [last] = await this.#subject.rows<{ id: string }>('select coalesce(max(id), 0) as id from relay_command');
    return { oraclePosition: statSync(this.#subject.oracleFile).size, commandId: last?.id ?? '0' };
  }
}

/** Leaves out commands of earlier seeds, whose switches were judged with them. */
export const commandsAfter =
  ({ commandId }: Begin, tell: History): History =>
  (line) => {
    if (line.t !== 'command' || BigInt(line.id) > BigInt(commandId)) tell(line);
  };

/** All counters, since none may be used twice in all seeds of a start, and everything else that the field observed since the begin. */
export async function* oracleAfter(oracleFile: string, { oraclePosition }: Begin): AsyncGenerator<string> {
  let position = 0;
  for await (const text of createInterface({ input: createReadStream(oracleFile) })) {
    const isOfSeed = position >= oraclePosition;
    position += Buffer.byteLength(text) + 1;
    if (text !== '' && (isOfSeed || (JSON.parse(text) as Line).t === 'counter')) yield text; // as: the simulator writes nothing else
  }
}
