const FIRST_SIZE = 1 << 20;
/** A buffer that large batches grew beyond this is released at the next restart. */
const KEPT_SIZE = 8 * FIRST_SIZE;
const SIGNATURE = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const INT4_OID = 23;
const INT8_OID = 20;
const ARRAY_HEADER = 20;
/** Epoch of PostgreSQL's dates and timestamps: 2000-01-01. */
const POSTGRES_EPOCH_DAY = 10_957;
const POSTGRES_EPOCH_MS = POSTGRES_EPOCH_DAY * 86_400_000;
const TWO_32 = 4_294_967_296;
const INT4_MAX = 2_147_483_647;
/** Numbers outside an integer column's range are written as null: they would wrap around into plausible values. */
const isInt4 = (value: number): boolean => value >= -INT4_MAX - 1 && value <= INT4_MAX;
const isInt8 = (value: number): boolean => value >= -Number.MAX_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

/**
 * Encodes rows in PostgreSQL's binary COPY format. Arrays come straight from typed arrays, with NaN as null: the text format costs several
 * times the rest of a write (docs/performance.md, W4).
 */
export class CopyWriter {
  #buffer: Buffer = Buffer.allocUnsafe(FIRST_SIZE);
  /** View of the same memory: several times as fast as the methods of `Buffer`, which check each argument. */
  #view = viewOf(this.#buffer);
  #at = SIGNATURE.copy(this.#buffer);

  /** Starts a new batch in the same memory, which invalidates the buffer that `finish` returned. */
  restart(): void {
    if (this.#buffer.length > KEPT_SIZE) this.#useBuffer(Buffer.allocUnsafe(FIRST_SIZE));
    this.#at = SIGNATURE.copy(this.#buffer);
  }

  #useBuffer(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }

  #reserve(count: number): number {
    const at = this.#at;
    if (at + count > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, at + count));
      this.#buffer.copy(larger, 0, 0, at);
      this.#useBuffer(larger);
    }
    this.#at += count;
    return at;
  }

  row(columns: number): void {
    const at = this.#reserve(2);
    this.#buffer.writeInt16BE(columns, at);
  }

  null(): void {
    const at = this.#reserve(4);
    this.#buffer.writeInt32BE(-1, at);
  }

  int4(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeInt32BE(4, at);
    this.#buffer.writeInt32BE(value, at + 4);
  }

  /** Writes null for a number that is not a safe integer. */
  int8(value: number | string): void {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return this.null();
    const at = this.#reserve(12);
    this.#buffer.writeInt32BE(8, at);
    this.#buffer.writeBigInt64BE(BigInt(value), at + 4);
  }

  text(value: string): void {
    const octets = Buffer.byteLength(value);
    const at = this.#reserve(4 + octets);
    this.#buffer.writeInt32BE(octets, at);
    this.#buffer.write(value, at + 4);
  }

  /** Days since 1970-01-01. */
  date(day: number): void {
    this.int4(day - POSTGRES_EPOCH_DAY);
  }

  /** Epoch milliseconds. */
  timestamp(ms: number): void {
    this.int8(Math.round((ms - POSTGRES_EPOCH_MS) * 1000));
  }

  uuid(value: string | undefined): void {
    if (value === undefined) return this.null();
    const at = this.#reserve(20);
    this.#buffer.writeInt32BE(16, at);
    this.#buffer.write(value.replaceAll('-', ''), at + 4, 'hex');
  }

  bytea(value: Uint8Array): void {
    const at = this.#reserve(4 + value.length);
    this.#buffer.writeInt32BE(value.length, at);
    this.#buffer.set(value, at + 4);
  }

  #arrayHeader(at: number, bytes: number, oid: number, count: number): void {
    const buffer = this.#buffer;
    buffer.writeInt32BE(bytes, at);
    buffer.writeInt32BE(1, at + 4);
    buffer.writeInt32BE(1, at + 8);
    buffer.writeInt32BE(oid, at + 12);
    buffer.writeInt32BE(count, at + 16);
    buffer.writeInt32BE(1, at + 20);
  }

  int4Array(values: Float64Array | undefined): void {
    if (values === undefined) return this.null();
    const start = this.#reserve(4 + ARRAY_HEADER + values.length * 8);
    const view = this.#view;
    let at = start + 4 + ARRAY_HEADER;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number; // as: i is below the length
      if (!isInt4(value)) {
        view.setInt32(at, -1);
        at += 4;
      } else {
        view.setInt32(at, 4);
        view.setInt32(at + 4, value);
        at += 8;
      }
    }
    this.#arrayHeader(start, at - start - 4, INT4_OID, values.length);
    this.#at = at;
  }

  int8Array(values: Float64Array | undefined): void {
    if (values === undefined) return this.null();
    const start = this.#reserve(4 + ARRAY_HEADER + values.length * 12);
    const view = this.#view;
    let at = start + 4 + ARRAY_HEADER;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number; // as: i is below the length
      if (!isInt8(value)) {
        view.setInt32(at, -1);
        at += 4;
      } else {
        // Two 32-bit halves, exact up to 2^53: a BigInt per value would dominate the cost.
        const high = Math.floor(value / TWO_32);
        view.setInt32(at, 8);
        view.setInt32(at + 4, high);
        view.setUint32(at + 8, value - high * TWO_32);
        at += 12;
      }
    }
    this.#arrayHeader(start, at - start - 4, INT8_OID, values.length);
    this.#at = at;
  }

  /** Returns all rows with the trailer; valid until `restart`. */
  finish(): Buffer {
    const at = this.#reserve(2);
    this.#buffer.writeInt16BE(-1, at);
    return this.#buffer.subarray(0, this.#at);
  }
}
