import { newOctets } from './new-octets.ts';

const FIRST_SIZE = 256;
const SHORT = 64;

function outOfRange(value: number | bigint, type: string): never {
  throw new RangeError(`${value} is no ${type}`);
}

/** Writes big-endian octets into a growing buffer. Throws `RangeError` when a number does not fit its field. */
export class ByteWriter {
  #octets: Uint8Array;
  /** Created on the first value that needs a DataView; few messages do. */
  #view: DataView | undefined;
  #length = 0;

  constructor(size = FIRST_SIZE) {
    this.#octets = new Uint8Array(size);
  }

  get size(): number {
    return this.#length;
  }

  /** Returns a copy of the written octets. */
  finish(): Uint8Array {
    const octets = newOctets(this.#length);
    // Creating a view costs as much as copying this many octets one by one.
    if (octets.length > SHORT) octets.set(this.#octets.subarray(0, octets.length));
    else for (let i = 0; i < octets.length; i++) octets[i] = this.#octets[i] as number; // as: it was written
    return octets;
  }

  /** Clears the content and keeps the buffer. */
  reset(): void {
    this.#length = 0;
  }

  #grow(count: number): number {
    const at = this.#length;
    if (at + count > this.#octets.length) {
      const larger = new Uint8Array(Math.max(this.#octets.length * 2, at + count));
      larger.set(this.#octets.subarray(0, at));
      this.#octets = larger;
      this.#view = undefined;
    }
    this.#length = at + count;
    return at;
  }

  #viewed(): DataView {
    this.#view ??= new DataView(this.#octets.buffer);
    return this.#view;
  }

  #put16(value: number): void {
    const at = this.#grow(2);
    this.#octets[at] = value >>> 8;
    this.#octets[at + 1] = value;
  }

  #put32(value: number): void {
    const at = this.#grow(4);
    this.#octets[at] = value >>> 24;
    this.#octets[at + 1] = value >>> 16;
    this.#octets[at + 2] = value >>> 8;
    this.#octets[at + 3] = value;
  }

  uint8(value: number): void {
    if ((value & 0xff) !== value) outOfRange(value, 'uint8');
    const at = this.#grow(1);
    this.#octets[at] = value;
  }

  int8(value: number): void {
    if ((value << 24) >> 24 !== value) outOfRange(value, 'int8');
    const at = this.#grow(1);
    this.#octets[at] = value;
  }

  uint16(value: number): void {
    if ((value & 0xffff) !== value) outOfRange(value, 'uint16');
    this.#put16(value);
  }

  int16(value: number): void {
    if ((value << 16) >> 16 !== value) outOfRange(value, 'int16');
    this.#put16(value);
  }

  uint32(value: number): void {
    if (value >>> 0 !== value) outOfRange(value, 'uint32');
    this.#put32(value);
  }

  int32(value: number): void {
    if ((value | 0) !== value) outOfRange(value, 'int32');
    this.#put32(value);
  }

  uint64(value: bigint): void {
    if (BigInt.asUintN(64, value) !== value) outOfRange(value, 'uint64');
    const at = this.#grow(8);
    this.#viewed().setBigUint64(at, value);
  }

  int64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) outOfRange(value, 'int64');
    const at = this.#grow(8);
    this.#viewed().setBigInt64(at, value);
  }

  float32(value: number): void {
    const at = this.#grow(4);
    this.#viewed().setFloat32(at, value);
  }

  float64(value: number): void {
    const at = this.#grow(8);
    this.#viewed().setFloat64(at, value);
  }

  bytes(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#octets.set(value, at);
  }

  /** A-XDR (and BER) length, always in its shortest form. */
  length(value: number): void {
    if (value < 0x80) return this.uint8(value);
    if (value < 0x100) {
      this.uint8(0x81);
      return this.uint8(value);
    }
    if (value < 0x10000) {
      this.uint8(0x82);
      return this.uint16(value);
    }
    this.uint8(0x84);
    this.uint32(value);
  }

  /** Writes a value with its length prefix. The length is inserted afterwards, which avoids encoding twice. */
  delimited<T>(write: (out: ByteWriter, value: T) => void, value: T): void {
    const at = this.#grow(1);
    write(this, value);
    const size = this.#length - at - 1;
    if (size < 0x80) {
      this.#octets[at] = size;
      return;
    }
    const more = size < 0x100 ? 1 : size < 0x10000 ? 2 : 4;
    const end = this.#grow(more) + more;
    this.#octets.copyWithin(at + 1 + more, at + 1, at + 1 + size);
    this.#length = at;
    this.length(size);
    this.#length = end;
  }
}
