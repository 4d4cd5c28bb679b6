import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { encodeIdentification } from '@hes/simulator/devices/identification.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, metersOf, type KnownMeter } from './simulated.ts';

let bench: AppBench;
let meters: KnownMeter[];

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: 2 } });
  meters = await metersOf(bench);
}, 60_000);
afterAll(() => bench.close());

/** Sends an identification with this name, without keys. */
function claim(sn: string): Socket {
  const socket = connect(bench.dlmsPort, '127.0.0.1').on('error', () => undefined);
  socket.resume();
  socket.write(encodeWrapper({ source: 1, destination: 1 }, encodeIdentification('hello', sn, new Uint8Array(8), 0)));
  return socket;
}

const sessions = async () =>
  (
    await bench.app.ctx.pool.query<{ dcu: string | null; name: string; reason: string | null }>(
      'select dcu_id::text as dcu, claimed_name as name, close_reason as reason from dcu_session order by id',
    )
  ).rows;

// Runs before the test of the imposter, which delays the name at this host for a second.
test('a DCU that authenticates by its keys replaces a connection that is still open', async () => {
  const [dcu] = bench.simulation.dcus;
  if (dcu === undefined) throw new Error('There is a DCU');
  // A connection whose peer does not notice the loss of the other end.
  const line = createServer((near) => {
    const far = connect(bench.dlmsPort, '127.0.0.1').on('error', () => undefined);
    near.on('data', (octets) => far.write(octets)).on('error', () => undefined);
    far.on('data', (octets) => near.destroyed || near.write(octets));
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const { port } = line.address() as AddressInfo; // as: a TCP address
  const dial = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    dcu.serve(socket);
    dcu.sendIdentification('hello');
  };
  const ends = async () => (await sessions()).filter(({ dcu: id }) => id !== null).map(({ reason }) => reason);
  bench.simulation.faults.add({ target: dcu.plan.sn, kind: 'absent' });
  await dial();
  await vi.waitFor(async () => expect(await ends()).toEqual(['peer_closed', null]), { timeout: 5_000 });
  await dial();
  await vi.waitFor(async () => expect(await ends()).toEqual(['peer_closed', 'replaced', null]), { timeout: 5_000 });
  expect((await collectOf(bench, meters, ['lpa'])).map(({ state }) => state)).toEqual(['read_success', 'read_success']);
  line.close();
});

test('a caller without keys does not replace a connected DCU, and an event is raised', async () => {
  const { pool } = bench.app.ctx;
  const sn = bench.simulation.dcus[0]?.plan.sn ?? '';
  const before = await sessions();
  const imposter = claim(sn);
  await once(imposter, 'close');
  await vi.waitFor(async () => expect(await sessions()).toEqual([...before, { dcu: null, name: sn, reason: 'unproved' }]), {
    timeout: 5_000,
  });
  expect(bench.simulation.dcus[0]?.isConnected()).toBe(true);
  expect((await collectOf(bench, meters, ['daily'])).map(({ state }) => state)).toEqual(['read_success', 'read_success']);
  const events = await pool.query("select code, message from event where device_kind = 'dcu' and code = $1", [FIELD_EVENT.notProved]);
  expect(events.rows).toEqual([{ code: FIELD_EVENT.notProved, message: expect.stringContaining(sn) }]);
});
