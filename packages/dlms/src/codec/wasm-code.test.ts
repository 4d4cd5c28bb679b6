import { expect, it } from 'vitest';
import { branchIf, exportsOf, I32, i32, loop, wasmFunction, wasmModule, type Code } from './wasm-code.ts';

type Exports = Record<string, (...args: number[]) => number> & { memory: { buffer: ArrayBuffer } };

const made = (...module: Parameters<typeof wasmModule>): Exports => exportsOf(wasmModule(...module)) as Exports; // as: what it was made of

it('constants are what they were, however many octets they take', () => {
  const constants = [0, 1, 63, 64, 127, 128, 8191, 8192, 65_535, 2 ** 31 - 1];
  const functions = constants.map((value) => wasmFunction(`is${value}`, {}, {}, () => [i32.const(value)]));
  const is = made(functions, 1, []);
  expect(constants.map((value) => is[`is${value}`]?.())).toEqual(constants);
});

it('operands come in their order, locals by their names, and a loop ends', () => {
  const { minus, sumUpTo } = made(
    [
      wasmFunction('minus', { from: I32, what: I32 }, {}, ({ from, what }) => [i32.sub(from.get, what.get)]),
      wasmFunction('sumUpTo', { last: I32 }, { sum: I32 }, ({ last, sum }) => [
        loop(sum.set(i32.add(sum.get, last.get)), last.set(i32.sub(last.get, i32.const(1))), branchIf(0, last.get)),
        sum.get,
      ]),
    ],
    1,
    [],
  );
  expect([minus?.(9, 4), sumUpTo?.(100)]).toEqual([5, 5050]);
});

it('the memory has its pages and begins with the data, and what is stored is there', () => {
  const data = Array.from({ length: 300 }, (_, index) => index % 256);
  const store: Code = i32.store8(i32.const(400), i32.const(7));
  const { memory, write } = made([wasmFunction('write', {}, {}, () => [store, i32.const(1)])], 2, data);
  expect(write?.()).toBe(1);
  const octets = new Uint8Array(memory.buffer);
  expect(octets.length).toBe(2 * 65_536);
  expect([...octets.subarray(0, 300)]).toEqual(data);
  expect(octets[400]).toBe(7);
});

it('what is no module has no exports', () => {
  expect(exportsOf(Uint8Array.of(1, 2, 3))).toBeUndefined();
});
