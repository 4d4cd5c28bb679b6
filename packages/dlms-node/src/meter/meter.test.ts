import { afterEach, describe, expect, it } from 'vitest';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { asciiOctets } from '@hes/dlms/codec/text.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { demoMeter } from '@hes/dlms/testing/demo-meter.ts';
import { serveDevices, type DeviceServer } from '../device-server.ts';
import { nodeCipher } from '../node-cipher.ts';
import type { ConnectOptions } from './connect-options.ts';
import { Meter } from './meter.ts';
import { MeterError } from './meter-error.ts';

const KEYS = { ek: '000102030405060708090A0B0C0D0E0F', ak: 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' };
const NO_SECURITY = 2;
const ENERGY = '1.0.1.8.0.255';
const VOLTAGE = '1.0.32.7.0.255';
const NOTES = '0.0.96.1.1.255';
const LOAD_PROFILE = '1.0.99.1.0.255';
const NOW = Date.UTC(2026, 4, 6, 7, 8, 9);
const QUARTER_MS = 900_000;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

interface Served extends DeviceServer {
  /** Connections and clients since the start. */
  associations: number;
}

async function serve(framing: 'wrapper' | 'hdlc' | 'udp' = 'wrapper'): Promise<Served> {
  const newDevice = demoMeter({
    cipher: nodeCipher,
    serial: '4711',
    systemTitle: fromHex('4845534D00000001'),
    keys: { ek: fromHex(KEYS.ek), ak: fromHex(KEYS.ak) },
    password: asciiOctets('secret'),
    now: () => NOW,
    days: 2,
    maxPduSize: 256,
  });
  let associations = 0;
  const deviceOf = (sap: number) => {
    if (sap !== 1) return undefined;
    associations++;
    return newDevice();
  };
  const { port, close } = await serveDevices({ port: 0, host: '127.0.0.1', framing, deviceOf });
  const served = {
    port,
    close,
    get associations() {
      return associations;
    },
  };
  open.push(served);
  return served;
}

async function connect({ port }: DeviceServer, options: Partial<ConnectOptions> = {}): Promise<Meter> {
  const meter = await Meter.connect({ host: '127.0.0.1', port, timeoutMs: 5_000, ...options });
  open.push(meter);
  return meter;
}

const errorOf = async (promise: Promise<unknown>): Promise<MeterError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof MeterError) return error;
  throw new Error(`No MeterError: ${String(error)}`);
};

describe('values', () => {
  it('are read with scaler and unit, in all digits', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    expect(await meter.read(VOLTAGE)).toEqual({
      value: 230.1,
      unit: 'V',
      text: '230.1 V',
      raw: { type: 'longUnsigned', value: 2301 },
    });
    expect(await meter.read(ENERGY)).toMatchObject({ value: (NOW / 1000) % 100_000_000, unit: 'Wh' });
  });

  it('are found in any class that holds a value', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    expect(await meter.read('0.0.96.1.0.255')).toMatchObject({ value: '4711', unit: '', text: '4711' });
    expect(await errorOf(meter.read('1.0.9.9.9.255'))).toMatchObject({ code: 'DENIED', result: 'objectUndefined' });
  });

  it('are read by the class of the object list once it is known', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    expect((await meter.objects()).map(({ instance }) => instance)).toContain(LOAD_PROFILE);
    expect(await meter.read('0.0.1.0.0.255')).toMatchObject({ value: new Date(NOW) });
  });

  it('may be read in parallel', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    const readings = await Promise.all(Array.from({ length: 20 }, (_, at) => meter.read(at % 2 === 0 ? VOLTAGE : ENERGY)));
    expect(readings.map(({ unit }) => unit)).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'V' : 'Wh')));
  });
});

describe('a profile', () => {
  it('is read under keys, with its own columns, by a range of time', async () => {
    const meter = await connect(await serve(), { keys: KEYS });
    const last = Math.floor(NOW / QUARTER_MS) * QUARTER_MS;
    const { columns, rows, capturePeriodSeconds } = await meter.profile(LOAD_PROFILE, {
      from: new Date(last - 2 * QUARTER_MS),
      to: new Date(last - QUARTER_MS),
    });
    expect(capturePeriodSeconds).toBe(900);
    expect(columns.map(({ name, unit }) => [name, unit])).toEqual([
      ['0.0.1.0.0.255', ''],
      ['0.0.96.10.1.255', ''],
      [ENERGY, 'Wh'],
    ]);
    const row = (at: number) => ({ at: new Date(at), clockStatus: 0, values: [new Date(at), 0, (at / 1000) % 100_000_000] });
    expect(rows).toEqual([row(last - 2 * QUARTER_MS), row(last - QUARTER_MS)]);
  });

  it('is read by entries, and whole in blocks', async () => {
    const meter = await connect(await serve(), { keys: KEYS });
    const [some, all] = await Promise.all([meter.profile(LOAD_PROFILE, { entries: [1, 3] }), meter.profile(LOAD_PROFILE)]);
    expect(some.rows).toHaveLength(3);
    expect(all.rows).toHaveLength(192);
    expect(all.rows.slice(0, 3)).toEqual(some.rows);
  });

  it('of a name without a profile can be asked for again', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    for (let i = 0; i < 2; i++) expect(await errorOf(meter.profile('1.0.99.9.0.255'))).toMatchObject({ code: 'DENIED' });
  });
});

describe('objects', () => {
  it('are typed by their class: attributes, writes and methods', async () => {
    const meter = await connect(await serve(), { keys: KEYS });
    const relay = meter.object(disconnectControl, '0.0.96.3.10.255');
    await relay.invoke('remoteDisconnect');
    expect(await relay.getAll('outputState', 'controlState')).toEqual({ outputState: false, controlState: 'disconnected' });
    const notes = meter.object(data, NOTES);
    await notes.set('value', { type: 'unsigned', value: 7 });
    expect(await notes.get('value')).toEqual({ type: 'unsigned', value: 7 });
    expect(await meter.object(clock, '0.0.1.0.0.255').get('timeZone')).toBe(0);
  });

  it('say why they refuse, and leave the association open', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    const error = await errorOf(meter.object(register, VOLTAGE).set('value', { type: 'longUnsigned', value: 1 }));
    expect(error).toMatchObject({ code: 'DENIED', result: 'readWriteDenied' });
    expect(error.message).toBe(`Register ${VOLTAGE} value: readWriteDenied. Advice: ${error.advice}`);
    expect(await meter.read(VOLTAGE)).toMatchObject({ unit: 'V' });
  });
});

describe('the clock', () => {
  it('is read and set', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    expect(await meter.clock()).toEqual(new Date(NOW));
    const other = new Date(NOW + 60_000);
    await meter.setClock(other);
    expect(await meter.clock()).toEqual(other);
  });
});

describe('an image', () => {
  it('is transferred, verified and activated', async () => {
    const meter = await connect(await serve(), { keys: KEYS });
    const image = Uint8Array.from({ length: 250 }, (_, at) => at);
    const progress: number[] = [];
    await meter.upgrade(image, { identification: asciiOctets('v2'), onProgress: (sent) => progress.push(sent) });
    expect(progress).toEqual([100, 200, 250]);
    const object = meter.object(imageTransfer, '0.0.44.0.0.255');
    expect(await object.get('transferStatus')).toBe('activationSuccessful');
    expect(await object.get('toActivateInfo')).toMatchObject([{ size: 250, identification: asciiOctets('v2') }]);
  });
});

describe('a connection', () => {
  it.each(['hdlc', 'udp'] as const)('may be %s', async (framing) => {
    const meter = await connect(await serve(framing), { client: NO_SECURITY, ...(framing === 'hdlc' ? { hdlc: {} } : { udp: true }) });
    expect(await meter.read(VOLTAGE)).toMatchObject({ value: 230.1 });
  });

  it('proves a password', async () => {
    const meter = await connect(await serve(), { client: 7, password: 'secret', mechanism: 'hlsSha256' });
    expect(await meter.read(VOLTAGE)).toMatchObject({ value: 230.1 });
  });

  it('asks for the counter only when nothing else provides it', async () => {
    const served = await serve();
    let counter = 100;
    await connect(served, { keys: KEYS, nextCounter: () => counter++ });
    expect(served.associations).toBe(1);
    await connect(served, { keys: KEYS });
    expect(served.associations).toBe(3);
  });

  it('is closed by await using', async () => {
    const served = await serve();
    let left: Meter;
    {
      await using meter = await Meter.connect({ host: '127.0.0.1', port: served.port, client: NO_SECURITY });
      await meter.read(VOLTAGE);
      left = meter;
    }
    expect(await errorOf(left.read(VOLTAGE))).toMatchObject({ code: 'ENDED' });
  });

  it('that is used at a low level stays usable', async () => {
    const meter = await connect(await serve(), { client: NO_SECURITY });
    const answer = await meter.run(
      meter.association.get({ classId: 3, instance: meter.object(register, ENERGY).instance, attributeId: 2 }),
    );
    expect(answer.ok).toBe(true);
  });
});

describe('an error', () => {
  it('names the meter and the next step when nothing listens', async () => {
    const served = await serve();
    await served.close();
    open.length = 0;
    const error = await errorOf(connect(served));
    expect(error).toMatchObject({ code: 'NOT_REACHABLE' });
    expect(error.message).toContain(`meter 127.0.0.1:${served.port}`);
    expect(error.message).toContain('check host and port');
  });

  it('tells wrong keys from wrong options', async () => {
    const served = await serve();
    const wrong = { ek: KEYS.ek, ak: KEYS.ek };
    expect(['AUTH_FAILED', 'DECRYPT_FAILED', 'EXCEPTION', 'REFUSED']).toContain((await errorOf(connect(served, { keys: wrong }))).code);
    expect(await errorOf(connect(served, { keys: { ek: 'no hex', ak: KEYS.ak } }))).toMatchObject({ code: 'USAGE' });
    expect(await errorOf(connect(served, { keys: { ek: '00', ak: KEYS.ak } }))).toMatchObject({ code: 'USAGE' });
    expect(await errorOf(connect(served, { mechanism: 'hlsMd5' }))).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('Mechanism hlsMd5 needs a password') as string,
    });
    const meter = await connect(served, { client: NO_SECURITY });
    expect(await errorOf(meter.read('no name'))).toMatchObject({ code: 'USAGE' });
    expect(await errorOf(meter.profile(LOAD_PROFILE, { entries: [1, 2], from: new Date(NOW) }))).toMatchObject({ code: 'USAGE' });
  });

  it('says where the counter was looked for', async () => {
    const served = await serve();
    const error = await errorOf(connect(served, { keys: KEYS, counterObject: '0.0.43.1.9.255' }));
    expect(error).toMatchObject({ code: 'NO_COUNTER' });
    expect(error.message).toContain('0.0.43.1.9.255');
  });
});

describe('a request without response', () => {
  it('is sent between others, and is executed', async () => {
    const meter = await Meter.connect({ host: '127.0.0.1', port: (await serve()).port, client: NO_SECURITY });
    open.push(meter);
    const notes = meter.object(data, NOTES);
    const value = { type: 'octetString', value: asciiOctets('silent') } as const;
    const [sent, before] = await Promise.all([notes.setUnconfirmed('value', value), meter.read(ENERGY)]);
    expect([sent, typeof before.value]).toEqual(['sent', 'number']);
    expect(await notes.get('value')).toEqual(value);
    const relay = meter.object(disconnectControl, '0.0.96.3.10.255');
    expect(await relay.invokeUnconfirmed('remoteDisconnect')).toBe('sent');
  });
});
