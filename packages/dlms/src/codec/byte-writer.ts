const FIRST_SIZE = 256;

function outOfRange(value: number | bigint, type: string): never {
  throw new RangeError(`${value} is no ${type}`);
}

/**
 * Writes big-endian octets into a buffer that grows. A number that does not fit its field is a `RangeError`:
 * a wrong octet must never leave the house.
 */
export class ByteWriter {
  #octets: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(size = FIRST_SIZE) {
    this.#octets = new Uint8Array(size);
    this.#view = new DataView(this.#octets.buffer);
  }

  get size(): number {
    return this.#length;
  }

  /** What was written, as a copy of the right size. */
  finish(): Uint8Array {
    return this.#octets.slice(0, this.#length);
  }

  /** Empty again, with the buffer it has. */
  reset(): void {
    this.#length = 0;
  }

  #grow(count: number): number {
    const at = this.#length;
    if (at + count > this.#octets.length) {
      const larger = new Uint8Array(Math.max(this.#octets.length * 2, at + count));
      larger.set(this.#octets.subarray(0, at));
      this.#octets = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#length = at + count;
    return at;
  }

  uint8(value: number): void {
    if ((value & 0xff) !== value) outOfRange(value, 'uint8');
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
  }

  int8(value: number): void {
    if ((value << 24) >> 24 !== value) outOfRange(value, 'int8');
    const at = this.#grow(1);
    this.#view.setInt8(at, value);
  }

  uint16(value: number): void {
    if ((value & 0xffff) !== value) outOfRange(value, 'uint16');
    const at = this.#grow(2);
    this.#view.setUint16(at, value);
  }

  int16(value: number): void {
    if ((value << 16) >> 16 !== value) outOfRange(value, 'int16');
    const at = this.#grow(2);
    this.#view.setInt16(at, value);
  }

  uint32(value: number): void {
    if (value >>> 0 !== value) outOfRange(value, 'uint32');
    const at = this.#grow(4);
    this.#view.setUint32(at, value);
  }

  int32(value: number): void {
    if ((value | 0) !== value) outOfRange(value, 'int32');
    const at = this.#grow(4);
    this.#view.setInt32(at, value);
  }

  uint64(value: bigint): void {
    if (BigInt.asUintN(64, value) !== value) outOfRange(value, 'uint64');
    const at = this.#grow(8);
    this.#view.setBigUint64(at, value);
  }

  int64(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) outOfRange(value, 'int64');
    const at = this.#grow(8);
    this.#view.setBigInt64(at, value);
  }

  float32(value: number): void {
    const at = this.#grow(4);
    this.#view.setFloat32(at, value);
  }

  float64(value: number): void {
    const at = this.#grow(8);
    this.#view.setFloat64(at, value);
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
}
