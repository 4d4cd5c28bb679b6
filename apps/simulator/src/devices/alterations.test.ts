import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ClientAssociation } from '@hes/dlms/association/client.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { captureObject } from '@hes/dlms/cosem/capture-object.ts';
import { arrayOf, dataCodec, octetString } from '@hes/dlms/cosem/data.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer } from '@hes/dlms/cosem/profile-buffer.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { DEVIATION_MINUTES, SLOT_MS } from '#world/calendar.ts';
import type { MeterPlan } from '#world/plan.ts';
import { startSimulation, type Simulation } from '#simulation.ts';
import { dial, managementClient, type HeadEnd } from '../../test/head-end.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 7, 8);
const HOUR_MS = 3_600_000;
const CHANGED_AT = NOW - 2 * HOUR_MS;

let simulation: Simulation;
let headEnd: HeadEnd;
let plan: MeterPlan;
let master: MeterPlan;

beforeAll(async () => {
  simulation = await startSimulation({ channel: 'fast', now: () => NOW });
  const dcu = simulation.commissioning.dcus.find((one) => one.connectionType === 'dial_out' && one.dataChannel === 'plc_rf');
  const meters = simulation.world.plan.meters.filter((one) => one.dcu.sn === dcu?.sn && !one.isSilent && !one.hasWrongKey);
  const [found, large] = [meters.find((one) => one.kind !== 'master' && one.mode === 'plc'), meters.find((one) => one.kind === 'master')];
  if (dcu?.port == null || found === undefined || large === undefined) throw new Error('The fleet has no such meters');
  [plan, master] = [found, large];
  headEnd = await dial(dcu.port);
});
afterEach(() => simulation.faults.clear());
afterAll(async () => {
  headEnd.close();
  await simulation.stop();
});

const reference = (key: WellKnownKey, attributeId: number) => ({
  classId: WELL_KNOWN[key].cosemClass.id,
  instance: WELL_KNOWN[key].instance,
  attributeId,
});

async function open(of: MeterPlan, keysOf = of, overrides = {}): Promise<ClientAssociation> {
  const keys = simulation.commissioning.meters.find((meter) => meter.sn === keysOf.sn);
  if (keys === undefined) throw new Error('Not in the archive');
  const client = managementClient(keys, overrides);
  await headEnd.run(client.open(), { meterSn: of.sn });
  return client;
}

async function read(of: MeterPlan, key: WellKnownKey, attributeId: number, range?: [number, number], client?: ClientAssociation) {
  const association = client ?? (await open(of));
  const stamp = (at: number) => fromEpochMs(at, DEVIATION_MINUTES);
  const selection = range && rangeSelection({ from: stamp(range[0]), to: stamp(range[1]) });
  const result = await headEnd.run(association.get(reference(key, attributeId), selection), { meterSn: of.sn });
  if (!result.ok) throw new Error(result.result);
  return result.data;
}

async function rowsOf(of: MeterPlan, range: [number, number]) {
  const columns = decode(arrayOf(captureObject), await read(of, 'LPA', 3));
  const period = decode(dataCodec, await read(of, 'LPA', 4));
  const capturePeriodSeconds = 'value' in period ? Number(period.value) : 0;
  const data = decodeProfileBuffer(await read(of, 'LPA', 2, range), { columns: columns.length, clockColumn: 0, capturePeriodSeconds });
  const columnOf = (instance: string) => [...(data.values[columns.findIndex((column) => column.instance === instance) - 1] ?? [])];
  return { capturePeriodSeconds, stamps: [...data.clock], ePlus: columnOf('1.0.1.8.0.255'), eMinus: columnOf('1.0.2.8.0.255'), columns };
}

const slotsBetween = (from: number, to: number, step: number): number[] => {
  const slots = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) slots.push(at);
  return slots;
};
const ePlusAt = (of: MeterPlan) => (at: number) => simulation.world.register(of, at, 'plus', 0);

test('a meter with a changed period captures at the new one from that moment on and keeps earlier rows', async () => {
  simulation.faults.add({ target: plan.sn, kind: 'other_period', at: CHANGED_AT });
  const { capturePeriodSeconds, stamps, ePlus } = await rowsOf(plan, [CHANGED_AT - HOUR_MS, NOW]);
  expect(capturePeriodSeconds).toBe(1800);
  const expected = [...slotsBetween(CHANGED_AT - HOUR_MS, CHANGED_AT - 1, SLOT_MS), ...slotsBetween(CHANGED_AT, NOW, 2 * SLOT_MS)];
  expect(stamps).toEqual(expected);
  expect(ePlus).toEqual(expected.map(ePlusAt(plan)));
});

test('a meter with a changed layout starts its buffer again with swapped columns', async () => {
  const before = await rowsOf(plan, [CHANGED_AT, NOW]);
  simulation.faults.add({ target: plan.sn, kind: 'other_layout', at: CHANGED_AT });
  const after = await rowsOf(plan, [CHANGED_AT - HOUR_MS, NOW]);
  expect(after.columns).not.toEqual(before.columns);
  expect([after.stamps, after.ePlus, after.eMinus]).toEqual([before.stamps, before.ePlus, before.eMinus]);
});

test('a meter with a changed scaler counts energies in tens from that moment on', async () => {
  simulation.faults.add({ target: plan.sn, kind: 'other_scaler', at: CHANGED_AT });
  expect(decode(scalerUnit, await read(plan, 'E_PLUS', 3))).toEqual({ scaler: 1, unit: 30 });
  const { stamps, ePlus } = await rowsOf(plan, [CHANGED_AT - HOUR_MS, NOW]);
  const truth = ePlusAt(plan);
  expect(ePlus).toEqual(stamps.map((at) => (at < CHANGED_AT ? truth(at) : Math.floor(truth(at) / 10))));
});

test('a register without a value has all bits set, in the register and in every row', async () => {
  for (const [of, ones] of [
    [plan, 2 ** 32 - 1],
    [master, 2 ** 64],
  ] as const) {
    simulation.faults.add({ target: of.sn, kind: 'full_register' });
    expect(decode(dataCodec, await read(of, 'E_PLUS', 2))).toMatchObject({ value: of === master ? 2n ** 64n - 1n : ones });
    expect(new Set((await rowsOf(of, [CHANGED_AT, NOW])).ePlus)).toEqual(new Set([ones]));
  }
});

test('a crossed meter is served by another one, without keys when that one is unprotected', async () => {
  simulation.faults.add({ target: plan.sn, kind: 'crossed', to: master.sn });
  simulation.faults.add({ target: master.sn, kind: 'unprotected' });
  const client = await open(plan, plan, { mechanism: 'none', ciphered: false });
  const named = decode(octetString, await read(plan, 'LDN', 2, undefined, client));
  expect(String.fromCharCode(...named)).toBe(`HES${master.sn}`);
});

test('endless blocks have the requested size and never end', async () => {
  simulation.faults.add({ target: plan.sn, kind: 'endless_blocks', octets: 1 });
  const exchange = (await open(plan)).get(reference('E_PLUS', 2));
  const sizes: number[] = [];
  let step = exchange.next();
  for (let block = 0; block < 5; block++) {
    if (step.done === true) throw new Error('The transfer ended');
    const answer = await headEnd.ask(step.value, { meterSn: plan.sn });
    sizes.push(answer?.length ?? 0);
    step = exchange.next(answer ?? new Uint8Array(0));
  }
  expect(new Set(sizes).size).toBe(1);
  expect(sizes[0]).toBeLessThan(50);
});
