import {
  block,
  branchIf,
  F64,
  exportsOf,
  f64x2,
  I32,
  i32,
  i32x4,
  i8x16,
  loop,
  select,
  V128,
  v128,
  wasmFunction,
  wasmModule,
  type Code,
} from '../codec/wasm-code.ts';

/** Numbers without a sign of up to so many octets are read by vectors. */
const LARGEST_NUMBER = 4;
const VECTOR_SIZE = 16;
const F64_SIZE = 8;
/** No index of an octet: what a swizzle makes 0. */
const NONE = 0xff;

// Vectors that loops need stand in memory: those in the code the engine makes anew in each turn.
const constants: number[] = [];
const constant = (octets: readonly number[]): Code => v128.load(i32.const(constants.push(...octets) - VECTOR_SIZE));
const twice = (octets: readonly number[]): number[] => [...octets, ...octets];
const octetsOf = (value: number): number[] => [...new Uint8Array(Float64Array.of(value).buffer)];

// By the size of a number: where its octets stand behind a tag, lowest first, in each half of a vector.
for (let size = 1; size <= LARGEST_NUMBER; size++)
  for (let half = 0; half < VECTOR_SIZE; half += F64_SIZE)
    constants.push(...Array.from({ length: F64_SIZE }, (_, nth) => (nth < size ? half + size - nth : NONE)));

/** A whole number below it, or-ed into its lowest octets, is their sum: a conversion without arithmetic. */
const TWO_TO_52 = 2 ** 52;

/**
 * `count` columns side by side, of numbers of so many octets behind a tag: 1, if each has that tag, and 0 otherwise. Two rows at
 * a time; if there is an odd number, the second comes twice.
 */
const columns = wasmFunction(
  'columns',
  { at: I32, stride: I32, out: I32, rows: I32, count: I32, tag: I32, size: I32 },
  { next: I32, step: I32, by: I32, end: I32, pair: V128, any: V128, all: V128, octets: V128, two52: V128 },
  ({ at, stride, out, rows, count, tag, size, next, step, by, end, pair, any, all, octets, two52 }) => [
    octets.set(v128.load(i32.shl(i32.sub(size.get, i32.const(1)), i32.const(4)))),
    two52.set(constant(twice(octetsOf(TWO_TO_52)))),
    any.set(i8x16.splat(tag.get)),
    all.set(any.get),
    loop(
      next.set(at.get),
      end.set(i32.add(out.get, i32.shl(rows.get, i32.const(3)))),
      step.set(i32.sub(i32.const(2), i32.and(rows.get, i32.const(1)))),
      by.set(i32.mul(stride.get, step.get)),
      step.set(i32.shl(step.get, i32.const(3))),
      loop(
        pair.set(v128.load64High(i32.add(next.get, stride.get), v128.load64Zero(next.get))),
        any.set(v128.or(any.get, pair.get)),
        all.set(v128.and(all.get, pair.get)),
        v128.store(out.get, f64x2.sub(v128.or(i8x16.swizzle(pair.get, octets.get), two52.get), two52.get)),
        next.set(i32.add(next.get, by.get)),
        out.set(i32.add(out.get, step.get)),
        by.set(i32.shl(stride.get, i32.const(1))),
        step.set(i32.const(2 * F64_SIZE)),
        branchIf(0, i32.ltU(out.get, end.get)),
      ),
      out.set(end.get),
      at.set(i32.add(i32.add(at.get, size.get), i32.const(1))),
      count.set(i32.sub(count.get, i32.const(1))),
      branchIf(0, count.get),
    ),
    i32.eqz(v128.anyTrue(v128.and(v128.xor(any.get, all.get), constant(twice([NONE, 0, 0, 0, 0, 0, 0, 0]))))),
  ],
);

/** Of a moment with the four octets before it: those that may be others in the next row. */
const TIME_AT = 8;
const STATUS_AT = 15;
const FIXED = Array.from({ length: VECTOR_SIZE }, (_, at) => (at >= TIME_AT && at < TIME_AT + 4 ? 0 : 0xff));
/** Day of week, hour, minute, second. */
const RANGE = Array.from({ length: VECTOR_SIZE }, (_, at) => [0xff, 23, 59, 59][at - TIME_AT] ?? 0);
/** Hour and minute, then the second, each as 16 bits: of two rows, the one in the even pairs and the other in the odd. */
const timesOf = (row: 0 | 1): number[] => {
  const [hour, minute, second] = [TIME_AT + 1, TIME_AT + 2, TIME_AT + 3];
  const halves = [
    [hour, NONE, minute, NONE],
    [second, NONE, NONE, NONE],
  ];
  const none = [NONE, NONE, NONE, NONE];
  return halves.flatMap((half) => (row === 0 ? [...half, ...none] : [...none, ...half]));
};
const SECONDS = [...twice([3600 & 0xff, 3600 >> 8, 60, 0]), ...twice([1, 0, 0, 0])];
/** The last eight octets before the first. */
const HALF = Array.from({ length: VECTOR_SIZE }, (_, at) => (at < F64_SIZE ? at + F64_SIZE : NONE));

/**
 * Moments of one day and zone with the four octets before each, `base` milliseconds at midnight: how many rows, from the first,
 * differ from it by their time only, and have one from 00:00:00 to 23:59:59. What is written behind them means nothing.
 */
const moments = wasmFunction(
  'moments',
  { at: I32, stride: I32, out: I32, statusOut: I32, rows: I32, base: F64 },
  {
    begin: I32,
    end: I32,
    status: I32,
    a: V128,
    b: V128,
    isOtherA: V128,
    isOtherB: V128,
    fixed: V128,
    range: V128,
    timeA: V128,
    timeB: V128,
    seconds: V128,
    half: V128,
    thousand: V128,
    bases: V128,
  },
  ({ at, stride, out, statusOut, rows, base, begin, end, status, a, b, isOtherA, isOtherB, ...local }) => {
    const { fixed, range, timeA, timeB, seconds, half, thousand, bases } = local;
    const isOther = (row: Code): Code => i8x16.subSatU(i8x16.sub(row, fixed.get), range.get);
    return [
      fixed.set(v128.and(v128.load(at.get), constant(FIXED))),
      range.set(constant(RANGE)),
      timeA.set(constant(timesOf(0))),
      timeB.set(constant(timesOf(1))),
      seconds.set(constant(SECONDS)),
      half.set(constant(HALF)),
      thousand.set(constant(twice(octetsOf(1000)))),
      bases.set(f64x2.splat(base.get)),
      status.set(i8x16.extractLaneU(fixed.get, STATUS_AT)),
      begin.set(out.get),
      end.set(i32.add(out.get, i32.shl(rows.get, i32.const(3)))),
      block(
        loop(
          a.set(v128.load(at.get)),
          b.set(v128.load(i32.add(at.get, stride.get))),
          isOtherA.set(isOther(a.get)),
          isOtherB.set(isOther(b.get)),
          i32.store8(statusOut.get, status.get),
          i32.store8(i32.add(statusOut.get, i32.const(1)), status.get),
          a.set(i32x4.dotI16x8(v128.or(i8x16.swizzle(a.get, timeA.get), i8x16.swizzle(b.get, timeB.get)), seconds.get)),
          a.set(i32x4.add(a.get, i8x16.swizzle(a.get, half.get))),
          v128.store(out.get, f64x2.add(f64x2.mul(f64x2.convertLowI32x4S(a.get), thousand.get), bases.get)),
          branchIf(1, v128.anyTrue(v128.or(isOtherA.get, isOtherB.get))),
          at.set(i32.add(at.get, i32.shl(stride.get, i32.const(1)))),
          out.set(i32.add(out.get, i32.const(2 * F64_SIZE))),
          statusOut.set(i32.add(statusOut.get, i32.const(2))),
          branchIf(0, i32.ltU(out.get, end.get)),
        ),
      ),
      // Of two that are not both alike the first may be.
      out.set(i32.add(out.get, i32.shl(i32.and(i32.eqz(v128.anyTrue(isOtherA.get)), v128.anyTrue(isOtherB.get)), i32.const(3)))),
      out.set(select(out.get, end.get, i32.ltU(out.get, end.get))),
      i32.shrU(i32.sub(out.get, begin.get), i32.const(3)),
    ];
  },
);

/** Both functions, and the memory that they read and write; all addresses are octets in it. */
export interface ColumnVectors {
  memory: { buffer: ArrayBuffer };
  columns(at: number, stride: number, out: number, rows: number, count: number, tag: number, size: number): number;
  moments(at: number, stride: number, out: number, statusOut: number, rows: number, base: number): number;
}

/** Reads numbers and moments of all rows of a buffer by vectors. Undefined where the platform has none: loops read the same. */
export const VECTORS = exportsOf(wasmModule([columns, moments], 1, constants)) as ColumnVectors | undefined; // as: what it was made of

// One page: constants, the desk and room for the row that is looked at behind the last, and columns of four times a desk at most.
const PAGE_SIZE = 65_536;
export const DESK_AT = 1024;
const DESK_SIZE = 4096;
/** Where columns are written, as they lie in the memory of a table: clock, values in their order, status. */
export const OUT_AT = 16_384;

/** Where a column of so many rows begins there, the clock the first of them and the status the last. */
export const outOf = (index: number, rows: number): number => OUT_AT + index * rows * F64_SIZE;

/**
 * Where buffers of up to a day are read. Copying 1 kB takes a third of what a view of it takes, 3.6 kB three quarters, and
 * nothing is left behind.
 */
export const DESK: Uint8Array = new Uint8Array(VECTORS?.memory.buffer ?? new ArrayBuffer(PAGE_SIZE), DESK_AT, DESK_SIZE);
