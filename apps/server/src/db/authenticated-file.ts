import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { canonical } from './canonical.ts';

/** A JSON file of the data folder, authenticated by an HMAC. Without a folder (tests), nothing is stored. */
export class AuthenticatedFile<Name extends string, T> {
  readonly #file: string | undefined;
  readonly #name: Name;
  readonly #keys: readonly [current: Buffer, ...previous: Buffer[]];

  /** `name`: of the content within the file. */
  constructor(place: { dataDir: string | undefined; file: string; name: Name }, ...keys: [current: Buffer, ...previous: Buffer[]]) {
    this.#file = place.dataDir === undefined ? undefined : join(place.dataDir, place.file);
    this.#name = place.name;
    this.#keys = keys;
  }

  #macOf(content: T, key: Buffer): Buffer {
    return createHmac('sha256', key).update(canonical(content)).digest();
  }

  /** Undefined when the file is missing, damaged or not authentic. A file under a previous key is rewritten under the current one. */
  read(): T | undefined {
    if (this.#file === undefined || !existsSync(this.#file)) return undefined;
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as Record<Name, T> & { mac: string }; // as: proved below
      const given = Buffer.from(stored.mac, 'hex');
      const content = stored[this.#name];
      const index = this.#keys.findIndex((key) => {
        const expected = this.#macOf(content, key);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      if (index > 0) this.write(content);
      return index === -1 ? undefined : content;
    } catch {
      return undefined;
    }
  }

  /** The content is on disk when this returns. */
  write(content: T): void {
    if (this.#file === undefined) return;
    const draft = `${this.#file}.draft`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify({ [this.#name]: content, mac: this.#macOf(content, this.#keys[0]).toString('hex') })}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, this.#file);
  }
}
