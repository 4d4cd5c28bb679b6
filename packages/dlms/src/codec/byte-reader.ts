import { DecodeError, type DecodeFault } from './decode-error.ts';

/** Maximum nesting of arrays and structures; meters stay below 6. */
export const MAX_DEPTH = 16;

/** Receives every named field that is read; see `annotate.ts`. */
export interface FieldListener {
  enter(name: string, offset: number): void;
  leave(offset: number, value: unknown): void;
}

/**
 * Reads big-endian octets within bounds. `bytes()` returns a view that shares memory with the input. Every failure is a `DecodeError` with
 * offset and field path.
 */
export class ByteReader {
  readonly octets: Uint8Array;
  end: number;
  offset: number;
  depth = 0;
  listener: FieldListener | undefined;
  /** Created on the first 8-octet number or float; most messages have none. */
  #wide: DataView | undefined;
  readonly #path: (string | number)[];

  /** `name` prefixes the field path of errors. */
  constructor(octets: Uint8Array, offset = 0, end = octets.length, name?: string) {
    this.octets = octets;
    this.offset = offset;
    this.end = end;
    this.#path = name === undefined ? [] : [name];
  }

  get #view(): DataView {
    this.#wide ??= new DataView(this.octets.buffer, this.octets.byteOffset, this.octets.byteLength);
    return this.#wide;
  }

  #at(offset: number): number {
    return this.octets[offset] as number; // as: every caller has checked the bounds with need()
  }

  get left(): number {
    return this.end - this.offset;
  }

  get path(): string {
    return this.#path.join('.');
  }

  /** Reads one field under its name, for errors and annotations. */
  field<T>(name: string | number, read: (input: ByteReader) => T): T {
    this.#path.push(name);
    this.listener?.enter(String(name), this.offset);
    const value = read(this);
    this.listener?.leave(this.offset, value);
    // Not in a finally block: after a failure the error reports the path.
    this.#path.pop();
    return value;
  }

  /** Reads `count` elements as numbered fields, like `field` but without a closure per element. */
  each<T>(count: number, read: (input: ByteReader) => T, keep?: T[]): void {
    const path = this.#path;
    const level = path.length;
    for (let i = 0; i < count; i++) {
      path[level] = i;
      this.listener?.enter(String(i), this.offset);
      const value = read(this);
      this.listener?.leave(this.offset, value);
      if (keep !== undefined) keep[i] = value;
    }
    if (count > 0) path.pop();
  }

  /** Reads one level deeper in arrays or structures. */
  nested<T>(read: (input: ByteReader) => T): T {
    this.#descend();
    const value = read(this);
    this.depth--;
    return value;
  }

  /** Reads the elements of an array or structure one level deeper, like `each`. */
  eachNested<T>(count: number, read: (input: ByteReader) => T, keep?: T[]): void {
    this.#descend();
    this.each(count, read, keep);
    this.depth--;
  }

  #descend(): void {
    if (++this.depth > MAX_DEPTH) this.fail({ code: 'TOO_DEEP', limit: MAX_DEPTH });
  }

  fail(fault: DecodeFault, offset = this.offset): never {
    throw new DecodeError(fault, { offset, path: this.path });
  }

  need(count: number): void {
    if (count > this.end - this.offset) this.fail({ code: 'TRUNCATED', needed: count, left: this.left });
  }

  peek(): number {
    this.need(1);
    return this.#at(this.offset);
  }

  uint8(): number {
    this.need(1);
    return this.#at(this.offset++);
  }

  int8(): number {
    this.need(1);
    return (this.#at(this.offset++) << 24) >> 24;
  }

  uint16(): number {
    this.need(2);
    const value = (this.#at(this.offset) << 8) | this.#at(this.offset + 1);
    this.offset += 2;
    return value;
  }

  int16(): number {
    this.need(2);
    const value = ((this.#at(this.offset) << 24) >> 16) | this.#at(this.offset + 1);
    this.offset += 2;
    return value;
  }

  uint32(): number {
    this.need(4);
    const value =
      ((this.#at(this.offset) << 24) | (this.#at(this.offset + 1) << 16) | (this.#at(this.offset + 2) << 8) | this.#at(this.offset + 3)) >>>
      0;
    this.offset += 4;
    return value;
  }

  int32(): number {
    this.need(4);
    const value =
      (this.#at(this.offset) << 24) | (this.#at(this.offset + 1) << 16) | (this.#at(this.offset + 2) << 8) | this.#at(this.offset + 3);
    this.offset += 4;
    return value;
  }

  uint64(): bigint {
    this.need(8);
    const value = this.#view.getBigUint64(this.offset);
    this.offset += 8;
    return value;
  }

  int64(): bigint {
    this.need(8);
    const value = this.#view.getBigInt64(this.offset);
    this.offset += 8;
    return value;
  }

  float32(): number {
    this.need(4);
    const value = this.#view.getFloat32(this.offset);
    this.offset += 4;
    return value;
  }

  float64(): number {
    this.need(8);
    const value = this.#view.getFloat64(this.offset);
    this.offset += 8;
    return value;
  }

  skip(count: number): void {
    this.need(count);
    this.offset += count;
  }

  /** Reads with the end of the input set to the next `count` octets. */
  within<T>(count: number, read: () => T): T {
    this.need(count);
    const { end } = this;
    this.end = this.offset + count;
    const value = read();
    // Not in a finally block: a reader is not used after a failure.
    this.end = end;
    return value;
  }

  /** Reads one value that must consume exactly the octets of its length prefix. */
  delimited<T>(read: (input: ByteReader) => T): T {
    const count = this.length();
    this.need(count);
    const { end } = this;
    this.end = this.offset + count;
    const value = read(this);
    this.done();
    this.end = end;
    return value;
  }

  /** Whether the remaining octets equal these. */
  isLeft(octets: Uint8Array): boolean {
    if (this.left !== octets.length) return false;
    for (let i = 0; i < octets.length; i++) if (this.#at(this.offset + i) !== octets[i]) return false;
    return true;
  }

  /** The next `count` octets as a view into the input. */
  bytes(count: number): Uint8Array {
    this.need(count);
    const value = this.octets.subarray(this.offset, this.offset + count);
    this.offset += count;
    return value;
  }

  /** A-XDR (and BER) length: one octet below 0x80, else 0x8n and n octets. Non-minimal forms are accepted. */
  length(): number {
    const first = this.uint8();
    if (first < 0x80) return first;
    const size = first & 0x7f;
    if (size === 0 || size > 4) this.fail({ code: 'BAD_LENGTH', length: size }, this.offset - 1);
    let length = 0;
    for (let i = 0; i < size; i++) length = length * 256 + this.uint8();
    return length;
  }

  /**
   * Reads an element count and checks it against the remaining octets before any allocation; each element has at least `minimumSize`
   * octets.
   */
  count(minimumSize = 1): number {
    const at = this.offset;
    const count = this.length();
    if (count * minimumSize > this.left) this.fail({ code: 'TRUNCATED', needed: count * minimumSize, left: this.left }, at);
    return count;
  }

  /** A reader over the next `count` octets with the offsets and the path of the whole input. */
  slice(count: number): ByteReader {
    this.need(count);
    const inner = new ByteReader(this.octets, this.offset, this.offset + count);
    inner.#path.push(...this.#path);
    inner.depth = this.depth;
    inner.listener = this.listener;
    this.offset += count;
    return inner;
  }

  expect(octet: number): void {
    const found = this.uint8();
    if (found !== octet) this.fail({ code: 'UNEXPECTED_OCTET', expected: octet, found }, this.offset - 1);
  }

  done(): void {
    if (this.left > 0) this.fail({ code: 'TRAILING_BYTES', left: this.left });
  }
}
