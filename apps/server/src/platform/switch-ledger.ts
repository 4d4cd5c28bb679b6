import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A relay command, recorded before it is sent. */
export interface BegunSwitch {
  /** Nonce of the command. */
  nonce: string;
  /** Epoch milliseconds. */
  at: number;
  operation: string;
  powerW: number;
  /** Epoch milliseconds; later the command is refused. */
  validUntil: number;
}

export interface SwitchSums {
  meters: number;
  powerW: number;
}

const FILE = 'switches.jsonl';
const DAY_MS = 86_400_000;

/** The part of the ledger that relay limits use. */
export type Switches = Pick<SwitchLedger, 'has' | 'since' | 'append'>;

/**
 * Ledger of started relay commands in a file of the data folder: write access to the database alone can neither replay a command nor hide
 * switched supplies. A start removes entries that are expired and irrelevant to all limits. In memory without a folder (tests).
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

  /** Sums of the switches after `at` whose operation is counted. */
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

  /** A truncated line belongs to a command that was never sent. */
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
