import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { expect, test } from 'vitest';
import { decodeEventLog } from './event-log.ts';

const AT = Date.UTC(2026, 5, 1, 10);
const MINUTE_MS = 60_000;
const NO_TIME = new Uint8Array(12).fill(0xff);
const COLUMNS = [
  { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2, dataIndex: 0 },
  { classId: 1, instance: obis('0.0.96.11.0.255'), attributeId: 2, dataIndex: 0 },
];

const row = (at: number | undefined, code: Data): Data => ({
  type: 'structure',
  value: [{ type: 'octetString', value: at === undefined ? NO_TIME : encode(dateTimeCodec, fromEpochMs(at, 0)) }, code],
});
const unsigned = (value: number): Data => ({ type: 'unsigned', value });

test('a row without time or with a code of all ones is returned separately, and does not fail the others', () => {
  const octets = encode(dataCodec, {
    type: 'array',
    value: [
      row(undefined, unsigned(1)),
      row(AT, unsigned(2)),
      row(AT + MINUTE_MS, { type: 'doubleLongUnsigned', value: 0xffff_ffff }),
      row(undefined, unsigned(4)),
      row(AT + 2 * MINUTE_MS, unsigned(5)),
    ],
  });
  const found = decodeEventLog(octets, COLUMNS, { log: 'standard', deviationMinutes: 0 });
  if (!found.ok) throw new Error(found.reason);
  expect(found.value.events.map(({ code, occurAt }) => [code, occurAt])).toEqual([
    [2, AT],
    [5, AT + 2 * MINUTE_MS],
  ]);
  // Each has the time of a neighbour, so that it is the same event in a later read.
  expect(found.value.unreadable.map(({ near }) => near)).toEqual([AT, AT + MINUTE_MS, AT]);
});
