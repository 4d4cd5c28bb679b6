import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { DEVIATION_MINUTES } from '#world/calendar.ts';
import { startSimulation, type Simulation } from '#simulation.ts';
import { dial, managementClient, type HeadEnd } from '../../test/head-end.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 7, 8);
const HOUR_MS = 3_600_000;

let simulation: Simulation;
let headEnd: HeadEnd;
let sn: string;

beforeAll(async () => {
  simulation = await startSimulation({ channel: 'fast', now: () => NOW });
  const dcu = simulation.commissioning.dcus.find((one) => one.connectionType === 'dial_out');
  const plan = simulation.world.plan.meters.find((one) => one.dcu.sn === dcu?.sn && !one.isSilent && !one.hasWrongKey);
  if (dcu?.port == null || plan === undefined) throw new Error('The fleet has no such meters');
  ({ sn } = plan);
  headEnd = await dial(dcu.port);
});
afterEach(() => headEnd.close());
afterAll(() => simulation.stop());

async function control<T>(path: string, body?: object): Promise<T> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await (await fetch(`http://127.0.0.1:${simulation.controlPort}/${path}`, request)).json()) as T; // as: the type of the response
}

test('reads of a buffer in blocks are counted, and a meter of another stack responds in place of a simulated one', async () => {
  const keys = simulation.commissioning.meters.find((meter) => meter.sn === sn);
  if (keys === undefined) throw new Error('Not in the archive');
  const client = managementClient(keys, { maxPduSize: 256 });
  await headEnd.run(client.open(), { meterSn: sn });
  const { cosemClass, instance } = WELL_KNOWN.LPA;
  const stamp = (at: number) => fromEpochMs(at, DEVIATION_MINUTES);
  const range = rangeSelection({ from: stamp(NOW - 12 * HOUR_MS), to: stamp(NOW) });
  await headEnd.run(client.get({ classId: cosemClass.id, instance, attributeId: 2 }, range), { meterSn: sn });
  const tally = await control<{ blocks: number; buffers: object[]; longest: Record<string, number> }>('tally');
  expect(tally.buffers).toEqual([{ instance, reads: 1, inBlocks: 1 }]);
  expect(tally.blocks).toBeGreaterThan(5);
  expect(tally.longest[sn]).toBeGreaterThan(12 * 4 * 20);

  const answer = Uint8Array.of(0xd8, 1, 2);
  const foreignServer = createServer((socket) => {
    const connection = new DlmsConnection(socket, { frameTimeoutMs: 1000 });
    connection.onFrame(({ source, destination }) => connection.send({ source: destination, destination: source }, answer));
  }).listen(0, '127.0.0.1');
  await once(foreignServer, 'listening');
  const { port } = foreignServer.address() as AddressInfo; // as: it listens on TCP
  expect(await control(`foreign/${sn}`, { port })).toEqual({ sn, port });
  expect(await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: sn })).toEqual(answer);
  expect((await control<{ foreign: object }>('tally')).foreign).toEqual({ [sn]: 1 });
  foreignServer.close();
});
