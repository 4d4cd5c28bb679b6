import { createHash } from 'node:crypto';

/** The events of a seed, line by line. Two runs of one seed give identical octets. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #print: ((line: string) => void) | undefined;

  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(nowMs: number, what: string): void {
    const line = `${nowMs.toFixed(3)} ${what}`;
    this.#hash.update(line);
    this.#hash.update('\n');
    this.#print?.(line);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
