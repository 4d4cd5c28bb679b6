import { afterEach, describe, expect, it } from 'vitest';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { CLOCK_COLUMN, parseSelection, type ParsedSelection } from '@hes/dlms/cosem/selective-access.ts';
import { serverObject, type DescribedObject } from '@hes/dlms/server/server-object.ts';
import type { ActionResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { serveDevices } from '../device-server.ts';
import { nodeCipher } from '../node-cipher.ts';
import { Meter } from './meter.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** A meter of these objects, without security. */
async function meterOf(...objects: DescribedObject[]): Promise<Meter> {
  const byKey = new Map(objects.map((object) => [objectKey(object.classId, object.instance), object]));
  const deviceOf = () =>
    new LogicalDevice({
      objects: byKey,
      systemTitle: fromHex('4845534D00000003'),
      cipher: nodeCipher,
      rules: new Map([[16, { mechanism: 'none', ciphered: false }]]),
      maxPduSize: 1024,
      counters: { next: () => 0, last: () => -1, accept: () => {} },
    });
  const server = await serveDevices({ port: 0, host: '127.0.0.1', deviceOf });
  open.push(server);
  const meter = await Meter.connect({ host: '127.0.0.1', port: server.port, timeoutMs: 5_000 });
  open.push(meter);
  return meter;
}

describe('an image transfer', () => {
  const TRIES = { identification: Uint8Array.of(1), pollMs: 1 };

  /** A meter that misses blocks and takes its time; the last status remains. */
  function slowImage(lost: number[], statuses: ('verificationInitiated' | 'verificationSuccessful' | 'verificationFailed')[]) {
    const blocks: (number | undefined)[] = [undefined, undefined, undefined];
    const later = (): ActionResult => 'temporaryFailure';
    const object = serverObject(
      imageTransfer,
      {
        read: {
          blockSize: () => 10,
          transferEnabled: () => true,
          firstNotTransferredBlockNumber: () => (blocks.indexOf(undefined) === -1 ? blocks.length : blocks.indexOf(undefined)),
          transferStatus: () => (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 'verificationFailed',
        },
        invoke: {
          initiate: () => 'success',
          blockTransfer: ({ blockNumber, block }) => {
            if (lost[0] === blockNumber) lost.shift();
            else blocks[blockNumber] = block.length;
          },
          verify: later,
          activate: () => 'success',
        },
      },
      { instance: obis('0.0.44.0.0.255') },
    );
    return { object, blocks };
  }

  it('sends missing blocks again, and waits for a verification that takes its time', async () => {
    const { object, blocks } = slowImage([1, 2], ['verificationInitiated', 'verificationInitiated', 'verificationSuccessful']);
    const meter = await meterOf(object);
    await meter.upgrade(new Uint8Array(25), TRIES);
    expect(blocks).toEqual([10, 10, 5]);
  });

  it('fails when the meter never takes a block, when the verification fails, and when it never ends', async () => {
    const losing = await meterOf(slowImage([1, 1, 1, 1, 1, 1], []).object);
    await expect(losing.upgrade(new Uint8Array(25), TRIES)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    const failing = await meterOf(slowImage([], ['verificationFailed']).object);
    await expect(failing.upgrade(new Uint8Array(25), TRIES)).rejects.toThrow('verificationFailed');
    const endless = await meterOf(slowImage([], ['verificationInitiated']).object);
    await expect(endless.upgrade(new Uint8Array(25), { ...TRIES, timeoutMs: 5 })).rejects.toMatchObject({ code: 'NO_ANSWER' });
  });
});

describe('a profile', () => {
  const ENERGY = obis('1.0.1.8.0.255');
  const PROFILE = '1.0.99.1.0.255';
  const START = Date.UTC(2026, 5, 1);
  /** UTC+2. */
  const DEVIATION = -120;
  const asked: ParsedSelection[] = [];

  const moment = (deviationMinutes: number | null): Data => ({
    type: 'octetString',
    value: encode(dateTimeCodec, { ...fromEpochMs(START, DEVIATION), deviationMinutes }),
  });
  const energy = serverObject(
    register,
    { read: { value: (): Data => ({ type: 'doubleLongUnsigned', value: 12_345 }), scalerUnit: () => ({ scaler: -2, unit: 30 }) } },
    { instance: ENERGY },
  );
  const time = serverObject(clock, { read: { time: () => fromEpochMs(START, DEVIATION) } }, { instance: CLOCK_COLUMN.instance });
  const profile = (rows: Data[]) =>
    serverObject(
      profileGeneric,
      {
        read: {
          captureObjects: () => [{ classId: 3, instance: ENERGY, attributeId: 2, dataIndex: 0 }, CLOCK_COLUMN],
          capturePeriod: () => 900,
        },
        readEncoded: {
          buffer: (selection) => {
            const parsed = selection && parseSelection(selection);
            if (parsed !== undefined) asked.push(parsed);
            return encode(dataCodec, { type: 'array', value: rows });
          },
        },
      },
      { instance: obis(PROFILE), selectors: { 2: [1, 2] } },
    );
  const row = (...value: Data[]): Data => ({ type: 'structure', value });

  it('has scaled values in the order of its columns, and is completed where rows repeat', async () => {
    const meter = await meterOf(
      energy,
      time,
      profile([
        row({ type: 'doubleLongUnsigned', value: 12_345 }, moment(null)),
        row({ type: 'deltaUnsigned', value: 5 }, { type: 'null' }),
      ]),
    );
    const { columns, rows } = await meter.profile(PROFILE);
    expect(columns).toMatchObject([
      { name: ENERGY, unit: 'Wh', scaler: -2 },
      { name: CLOCK_COLUMN.instance, unit: '', scaler: 0 },
    ]);
    // The rows do not tell their deviation: that of the clock counts.
    expect(rows.map(({ at, values: [value] }) => [at, value])).toEqual([
      [new Date(START), 123.45],
      [new Date(START + 900_000), 123.5],
    ]);
  });

  it('is asked for in the time zone of the meter', async () => {
    const meter = await meterOf(energy, time, profile([]));
    asked.length = 0;
    await meter.profile(PROFILE, { from: new Date(START), to: new Date(START) });
    expect(asked).toMatchObject([{ kind: 'range', restricting: CLOCK_COLUMN, from: { hour: 2, deviationMinutes: DEVIATION } }]);
  });

  it('whose rows do not fit its columns is no value', async () => {
    const meter = await meterOf(energy, time, profile([row({ type: 'null' })]));
    await expect(meter.profile(PROFILE)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    expect(await meter.read(ENERGY)).toMatchObject({ text: '123.45 Wh' });
  });
});
