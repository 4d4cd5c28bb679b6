import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asciiOctets } from '@hes/dlms/codec/text.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import { Meter } from '../../src/meter/meter.ts';
import { javaMeter, reportMissing } from './tools.ts';

const KEYS = { ek: '000102030405060708090A0B0C0D0E0F', ak: 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' };
const PASSWORD = '12345678';
const INSTALL_MS = 300_000;
const java = await javaMeter();
reportMissing([java]);

const FIRST_ROW = Date.UTC(2026, 0, 1);
const QUARTER_MS = 900_000;

describe.skipIf('missing' in java)('Meter, with a meter of Gurux (Java)', { timeout: 60_000 }, () => {
  let process: ChildProcess;
  let port = 0;
  let counter = Date.now() % 0x1000_0000;

  beforeAll(async () => {
    if ('missing' in java) return;
    process = spawn('java', ['-cp', java.classPath, 'GuruxMeter', '', ''], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (process.stdout === null) throw new Error('The meter has no output');
    const [line] = (await once(createInterface({ input: process.stdout }), 'line')) as [string]; // as: the event's arguments
    port = Number(line.split(' ')[0]);
  }, INSTALL_MS);
  afterAll(() => void process?.stdin?.end());

  // This meter has no object with its counter.
  const connect = () => Meter.connect({ host: '127.0.0.1', port, keys: KEYS, nextCounter: () => counter++ });

  it('reads a profile under keys, by a range of time', async () => {
    await using meter = await connect();
    const { columns, rows } = await meter.profile('1.0.99.1.0.255', {
      from: new Date(FIRST_ROW + 4 * QUARTER_MS),
      to: new Date(FIRST_ROW + 6 * QUARTER_MS),
    });
    expect(columns.map(({ name }) => name)).toEqual(['0.0.1.0.0.255', '1.0.1.8.0.255']);
    const at = (slot: number) => new Date(FIRST_ROW + slot * QUARTER_MS);
    expect(rows.map((row) => row.at)).toEqual([at(4), at(5), at(6)]);
    expect(rows.map(({ values }) => values[1])).toEqual([1004, 1005, 1006]);
  });

  it('reads values, sets the clock and switches the relay, in parallel calls', async () => {
    await using meter = await connect();
    const relay = meter.object(disconnectControl, '0.0.96.3.10.255');
    const [energy] = await Promise.all([meter.read('1.0.1.8.0.255'), meter.setClock(), relay.invoke('remoteDisconnect')]);
    expect(energy.raw).toEqual({ type: 'doubleLongUnsigned', value: 5009 });
    expect(await relay.get('controlState')).toBe('disconnected');
    await relay.invoke('remoteReconnect');
    expect((await meter.objects()).map(({ instance }) => instance)).toContain('1.0.99.1.0.255');
  });

  it('transfers an image', async () => {
    await using meter = await connect();
    await meter.upgrade(
      Uint8Array.from({ length: 450 }, (_, at) => at),
      { identification: asciiOctets('v2'), activate: false, pollMs: 50 },
    );
    // The status of this meter does not follow its methods.
    expect(await meter.object(imageTransfer, '0.0.44.0.0.255').get('transferredBlocksStatus')).toBe('11111');
  });

  it('proves a password', async () => {
    await using meter = await Meter.connect({ host: '127.0.0.1', port, client: 3, password: PASSWORD });
    expect(await meter.read('1.0.1.8.0.255')).toMatchObject({ value: 5009 });
  });
});
