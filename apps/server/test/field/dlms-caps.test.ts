import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { impersonate, openLine } from '../../../../tools/attack/lines.ts';
import { DEFAULT_LIMITS } from '../../src/field/listener.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

let bench: Bench;
let headEnd: HeadEnd;

beforeAll(async () => {
  bench = await fieldBench();
});
afterEach(() => headEnd.stop());
afterAll(() => bench.close());

const target = () => ({ host: '127.0.0.1', port: headEnd.field.port });
const isOnline = async (sn: string) =>
  (await bench.database.pool.query("select from dcu where sn = $1 and online_status = 'online'", [sn])).rowCount === 1;

test('idle connections of an address do not lock out a DCU of that address', async () => {
  headEnd = await bench.headEnd({ limits: { ...DEFAULT_LIMITS, unidentifiedPerAddress: 20 } });
  await bench.register('CAPSDCU001', 1);
  const silent = await Promise.all(Array.from({ length: 20 }, () => openLine(target())));
  const [oldest] = silent;
  const line = await impersonate(target(), 'CAPSDCU001');
  if (oldest?.destroyed === false) await once(oldest, 'close');
  await vi.waitFor(async () => expect(await isOnline('CAPSDCU001')).toBe(true), { timeout: 10_000 });
  for (const one of [...silent, line]) one.destroy();
});

test('an address has no more connections than its limit', async () => {
  headEnd = await bench.headEnd({ limits: { ...DEFAULT_LIMITS, perAddress: 10 } });
  const lines = await Promise.all(Array.from({ length: 10 }, () => openLine(target())));
  const more = await openLine(target());
  if (!more.destroyed) await once(more, 'close');
  expect(lines.map((line) => line.destroyed)).toEqual(lines.map(() => false));
  for (const line of lines) line.destroy();
});
