import { objectKey, type ServerObject } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { captureObject } from '@hes/dlms/cosem/capture-object.ts';
import { arrayOf, dataCodec, doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { parseSelection } from '@hes/dlms/cosem/selective-access.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

const MINUTE_MS = 60_000;
const DEVIATION = -480;
const EVENTS = 40;
const ROWS_PER_RESPONSE = 7;
const BEGIN = Date.parse('2026-05-01T00:00:00+08:00');
const BUFFER = 2;
const CAPTURE_OBJECTS = 3;
const ENTRIES_IN_USE = 7;

const row = (index: number): Data => ({
  type: 'structure',
  value: [
    { type: 'octetString', value: encode(dateTimeCodec, fromEpochMs(BEGIN + index * MINUTE_MS, DEVIATION)) },
    { type: 'unsigned', value: index + 1 },
  ],
});

/** A log of a meter without block transfer, which refuses responses that do not fit one APDU. */
function shortLog(refused: number[]): ServerObject {
  return {
    classId: 7,
    version: 1,
    instance: WELL_KNOWN.EVLOG0.instance,
    read: (attribute, selection) => {
      if (attribute === ENTRIES_IN_USE) return encode(doubleLongUnsigned, EVENTS);
      if (attribute === CAPTURE_OBJECTS)
        return encode(arrayOf(captureObject), [
          { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2, dataIndex: 0 },
          { classId: 1, instance: obis('0.0.96.11.0.255'), attributeId: 2, dataIndex: 0 },
        ]);
      const wanted = selection && parseSelection(selection);
      if (attribute !== BUFFER || wanted === undefined) return 'objectUndefined';
      const all = Array.from({ length: EVENTS }, (_, index) => index);
      const isWanted = (index: number) => {
        if (wanted.kind === 'entry') return index + 1 >= wanted.fromEntry && (wanted.toEntry === 0 || index + 1 <= wanted.toEntry);
        const at = BEGIN + index * MINUTE_MS;
        return at >= (toEpochMs(wanted.from) ?? 0) && at <= (toEpochMs(wanted.to) ?? 0);
      };
      const rows = all.filter(isWanted);
      if (rows.length > ROWS_PER_RESPONSE) {
        refused.push(rows.length);
        return 'otherReason';
      }
      return encode(dataCodec, { type: 'array', value: rows.map(row) });
    },
  };
}

let bench: Bench;
let headEnd: HeadEnd;
beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd();
});
afterAll(() => bench.close());

async function readLog(sn: string, quirks: string, params: object) {
  await bench.database.pool.query('update meter_type set quirks = $1', [quirks]);
  const { dcuId, meters, meterIds } = await bench.register(sn, 1);
  const refused: number[] = [];
  const log = shortLog(refused);
  meters[0]?.objects.set(objectKey(log.classId, log.instance), log);
  headEnd.dial(sn, meters);
  const [meterId = ''] = meterIds;
  const { ended } = await headEnd.order({
    kind: 'events',
    params: { logs: ['standard'], ...params },
    items: [{ deviceKind: 'meter', dcuId, meterId }],
  });
  const [item] = await ended;
  const { rows } = await bench.database.pool.query<{ code: number }>(
    "select code from event where meter_id = $1 and log = 'standard' order by code",
    [meterId],
  );
  return { item, codes: rows.map(({ code }) => code), refused };
}

describe('an event log of a meter without block transfer', () => {
  const every = Array.from({ length: EVENTS }, (_, index) => index + 1);
  const day = { from: '2026-05-01', to: '2026-05-01' };

  test('is read by time in parts that the meter can send', async () => {
    const { item, codes, refused } = await readLog('TINYDCU001', '{no_block_get}', day);
    expect(item).toMatchObject({ state: 'read_success', reason: null });
    expect(codes).toEqual(every);
    expect(refused.length).toBeGreaterThan(1);
  });

  test('is read by number in parts', async () => {
    const { item, codes } = await readLog('TINYDCU002', '{no_block_get}', { last: 20 });
    expect(item).toMatchObject({ state: 'read_success', reason: null });
    expect(codes).toEqual(every.slice(-20));
  });

  test('is requested as a whole when the type does not have the quirk', async () => {
    const { item, codes, refused } = await readLog('TINYDCU003', '{}', day);
    expect(item).toMatchObject({ state: 'read_fail', reason: 'TEMPORARY_FAILURE' });
    expect([codes, [...new Set(refused)]]).toEqual([[], [EVENTS]]);
  });
});
