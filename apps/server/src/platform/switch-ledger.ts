import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A command to a relay that was about to be sent. */
export interface BegunSwitch {
  /** Of the command; used once. */
  nonce: string;
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  powerW: number;
  /** Epoch milliseconds; after it the command is refused anyway. */
  validUntil: number;
}

export interface SwitchSums {
  meters: number;
  powerW: number;
}

const FILE = 'switches.jsonl';
const DAY_MS = 86_400_000;

/** What the limits of relays ask of the ledger. */
export type Switches = Pick<SwitchLedger, 'has' | 'since' | 'append'>;

/**
 * Which commands to relays were begun, in a file of the data folder: who can write in the database can neither have a command executed twice
 * nor hide how many supplies were switched. Entries leave when they count for no limit and their command is no longer valid. Without a
 * folder, in tests, it is kept in memory.
 */
export class SwitchLedger {
  readonly #file: string | undefined;
  readonly #entries = new Map<string, BegunSwitch>();

  constructor(dataDir: string | undefined, now: number) {
    this.#file = dataDir === undefined ? undefined : join(dataDir, FILE);
    for (const entry of this.#read()) this.#entries.set(entry.nonce, entry);
    this.#compact(now);
  }

  has(nonce: string): boolean {
    return this.#entries.has(nonce);
  }

  /** What was begun since a moment, of these operations. */
  since(at: number, isCounted: (operation: string) => boolean = () => true): SwitchSums {
    const sums = { meters: 0, powerW: 0 };
    for (const entry of this.#entries.values()) {
      if (entry.at <= at || !isCounted(entry.operation)) continue;
      sums.meters += 1;
      sums.powerW += entry.powerW;
    }
    return sums;
  }

  /** The entry is on disk when this returns. */
  append(entry: BegunSwitch): void {
    if (this.#file !== undefined) {
      const descriptor = openSync(this.#file, 'a', 0o600);
      try {
        appendFileSync(descriptor, `${JSON.stringify(entry)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    }
    this.#entries.set(entry.nonce, entry);
  }

  /** A line that a crash cut off was never acted upon. */
  #read(): BegunSwitch[] {
    if (this.#file === undefined || !existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as BegunSwitch] : [])); // as: written below
  }

  #compact(now: number): void {
    for (const { nonce, at, validUntil } of this.#entries.values())
      if (Math.max(at + DAY_MS, validUntil) < now) this.#entries.delete(nonce);
    if (this.#file === undefined || !existsSync(this.#file)) return;
    const draft = `${this.#file}.draft`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      writeSync(descriptor, [...this.#entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, this.#file);
  }
}
