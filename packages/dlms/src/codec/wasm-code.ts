/**
 * WebAssembly as nested expressions: the operands of an instruction stand before it, as its stack machine wants them. Only
 * what is used, by the names of the core specification, chapter 5.
 */
export type Code = readonly number[];

export const I32 = 0x7f;
export const F64 = 0x7c;
export const V128 = 0x7b;
type Type = typeof I32 | typeof F64 | typeof V128;

const END = 0x0b;
const NO_RESULT = 0x40;
const VECTOR = 0xfd;

function unsigned(value: number): number[] {
  const octets: number[] = [];
  let left = value;
  for (; left > 0x7f; left >>>= 7) octets.push((left & 0x7f) | 0x80);
  return [...octets, left];
}

/** LEB128 with a sign, of what is not negative: one bit more. */
function signed(value: number): number[] {
  const octets: number[] = [];
  let left = value;
  for (; left > 0x3f; left >>>= 7) octets.push((left & 0x7f) | 0x80);
  return [...octets, left];
}

type Instruction = (...operands: Code[]) => Code;
const instruction =
  (...octets: number[]): Instruction =>
  (...operands) => [...operands.flat(), ...octets];
const ofVectors = (number: number): Instruction => instruction(VECTOR, ...unsigned(number));
/** Without a promise about alignment, and without an offset. */
const ofMemory = (...octets: number[]): Instruction => instruction(...octets, 0, 0);

export const i32 = {
  /** Of what is not negative. */
  const: (value: number): Code => [0x41, ...signed(value)],
  eqz: instruction(0x45),
  ltU: instruction(0x49),
  add: instruction(0x6a),
  sub: instruction(0x6b),
  mul: instruction(0x6c),
  and: instruction(0x71),
  shl: instruction(0x74),
  shrU: instruction(0x76),
  store8: ofMemory(0x3a),
} as const;

export const v128 = {
  load: ofMemory(VECTOR, 0x00),
  store: ofMemory(VECTOR, 0x0b),
  /** The first eight octets; the others are 0. */
  load64Zero: ofMemory(VECTOR, 0x5d),
  /** Eight octets in place of the last eight of a vector. */
  load64High: (address: Code, vector: Code): Code => [...address, ...vector, VECTOR, 0x57, 0, 0, 1],
  and: ofVectors(0x4e),
  or: ofVectors(0x50),
  xor: ofVectors(0x51),
  anyTrue: ofVectors(0x53),
} as const;

export const i8x16 = {
  /** Octets of the first by the indices of the second; 0 where an index is beyond. */
  swizzle: ofVectors(0x0e),
  splat: ofVectors(0x0f),
  sub: ofVectors(0x71),
  /** 0 where it would be negative. */
  subSatU: ofVectors(0x73),
  extractLaneU: (vector: Code, lane: number): Code => [...vector, VECTOR, 0x16, lane],
} as const;

export const i32x4 = {
  add: ofVectors(0xae),
  /** Products of signed 16-bit numbers, summed by pairs. */
  dotI16x8: ofVectors(0xba),
} as const;

export const f64x2 = {
  splat: ofVectors(0x14),
  add: ofVectors(0xf0),
  sub: ofVectors(0xf1),
  mul: ofVectors(0xf2),
  convertLowI32x4S: ofVectors(0xfe),
} as const;

/** The first value unless the condition is 0. */
export const select: Instruction = instruction(0x1b);
export const block = (...body: Code[]): Code => [0x02, NO_RESULT, ...body.flat(), END];
export const loop = (...body: Code[]): Code => [0x03, NO_RESULT, ...body.flat(), END];
/** Unless the condition is 0: leaves a block, or begins a loop anew. `depth` counts from the innermost. */
export const branchIf = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];

/** A parameter or variable of a function. */
interface Local {
  get: Code;
  set(value: Code): Code;
}

interface WasmFunction {
  name: string;
  params: readonly Type[];
  locals: readonly Type[];
  body: Code;
}

/** A function that returns an i32: what its body leaves behind. */
export function wasmFunction<Param extends string, Variable extends string>(
  name: string,
  params: Readonly<Record<Param, Type>>,
  variables: Readonly<Record<Variable, Type>>,
  body: (local: Readonly<Record<Param | Variable, Local>>) => Code[],
): WasmFunction {
  const names = [...Object.keys(params), ...Object.keys(variables)];
  const local = Object.fromEntries(
    names.map((key, index) => [key, { get: [0x20, index], set: (value: Code): Code => [...value, 0x21, index] }]),
  ) as unknown as Record<Param | Variable, Local>; // as: fromEntries() widens the keys
  return { name, params: Object.values(params), locals: Object.values(variables), body: body(local).flat() };
}

const sized = (octets: Code): Code => [...unsigned(octets.length), ...octets];
const list = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const section = (id: number, items: readonly Code[]): Code => [id, ...sized(list(items))];
const text = (value: string): Code => sized(Array.from(value, (character) => character.charCodeAt(0)));

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const FUNCTION_TYPE = 0x60;

/** A module that exports its functions and its memory, so many pages of 64 KiB with `data` at their beginning. */
export function wasmModule(functions: readonly WasmFunction[], pages: number, data: readonly number[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ params }) => [FUNCTION_TYPE, ...list(params.map((type) => [type])), ...list([[I32]])]);
  const exported = functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]);
  const bodies = functions.map(({ locals, body }) => sized([...list(locals.map((type) => [1, type])), ...body, END]));
  return Uint8Array.from([
    ...HEADER,
    ...section(1, types),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(5, [[1, ...unsigned(pages), ...unsigned(pages)]]),
    ...section(7, [...exported, [...text('memory'), 2, 0]]),
    ...section(10, bodies),
    ...section(11, [[0, ...i32.const(0), END, ...sized(data)]]),
  ]);
}

/** What is used of WebAssembly, which every platform has and ECMAScript does not name. */
interface Engine {
  Module: new (octets: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object) => { exports: unknown };
}

/** What a module exports. Undefined where there is no WebAssembly, or one without vectors. */
export function exportsOf(module: Uint8Array<ArrayBuffer>): unknown {
  const { WebAssembly: engine } = globalThis as unknown as { WebAssembly?: Engine }; // as: it has no types here
  if (engine === undefined) return undefined;
  try {
    return new engine.Instance(new engine.Module(module)).exports;
  } catch {
    return undefined;
  }
}
