import { readGetResponse } from '@hes/dlms/association/client-services.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data, TypeDescription } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer, type ProfileColumns, type ProfileShape } from '@hes/dlms/cosem/profile-buffer.ts';
import { getResponse } from '@hes/dlms/xdlms/get.ts';
import { BLOCK_MS, inQuadruples, speedOf } from './interleaved.ts';

const QUADRUPLES = 9;
const SIDE_QUADRUPLES = 3;

const ROWS = 96;
const MANY_ROWS = 10_000;
const CHANNELS = 4;
const PERIOD_SECONDS = 900;
const DEVIATION_MINUTES = -480;
const START_MS = 1_767_225_600_000;
const SHAPE: ProfileShape = { columns: 2 + CHANNELS, clockColumn: 0, capturePeriodSeconds: PERIOD_SECONDS };

type Encoding = 'tagged' | 'null' | 'compact';

/** Energy in Wh that rises by up to 2 kWh in a quarter-hour. */
const reading = (row: number, channel: number): number =>
  12_345_678 * (channel + 1) + row * 500 + ((row * 7919 + channel * 104_729) % 1500);
const stampMs = (row: number): number => START_MS + row * PERIOD_SECONDS * 1000;

function rowOf(row: number, encoding: Encoding): Data[] {
  const moment = encode(dateTimeCodec, fromEpochMs(stampMs(row), DEVIATION_MINUTES));
  const omitted = encoding === 'null' && row > 0;
  return [
    omitted ? { type: 'null' } : { type: encoding === 'compact' ? 'dateTime' : 'octetString', value: moment },
    omitted ? { type: 'null' } : { type: 'unsigned', value: 0 },
    ...Array.from({ length: CHANNELS }, (_, channel): Data => ({ type: 'doubleLongUnsigned', value: reading(row, channel) })),
  ];
}

/** The GET response of a meter. */
function responseOf(rows: number, encoding: Encoding): Uint8Array {
  const value = Array.from({ length: rows }, (_, row): Data => ({ type: 'structure', value: rowOf(row, encoding) }));
  const elements = ['dateTime', 'unsigned', ...Array.from({ length: CHANNELS }, () => 'doubleLongUnsigned')].map(
    (type) => ({ type }) as TypeDescription,
  ); // as: all of them are types
  const data: Data =
    encoding === 'compact' ? { type: 'compactArray', value, description: { type: 'structure', elements } } : { type: 'array', value };
  const invoke = { id: 1, confirmed: true, highPriority: true };
  return encode(getResponse, { kind: 'normal', invoke, result: { ok: true, data: encode(dataCodec, data) } });
}

function columnsOf(apdu: Uint8Array, into?: ProfileColumns): ProfileColumns {
  const response = readGetResponse(apdu);
  if (response.kind !== 'normal' || !response.result.ok) throw new Error('Not the response that was made');
  return decodeProfileBuffer(response.result.data, SHAPE, { into });
}

/** Reads one response again and again into the same columns: memory for new ones takes as long as reading a day. */
function decoderOf(apdu: Uint8Array): () => void {
  let columns: ProfileColumns | undefined;
  return () => (columns = columnsOf(apdu, columns));
}

/** The same rows as JSON: the clock as one number, or as the twelve octets that a meter sends. */
function jsonOf(rows: number, clock: 'number' | 'octets'): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const stamp = clock === 'number' ? stampMs(row) : [...encode(dateTimeCodec, fromEpochMs(stampMs(row), DEVIATION_MINUTES))];
    return [stamp, 0, ...Array.from({ length: CHANNELS }, (_unused, channel) => reading(row, channel))];
  });
  return JSON.stringify(lines);
}

/** Verifies the result, so that speed is not measured on a wrong one. */
function check(columns: ProfileColumns, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const right =
      columns.clock[row] === stampMs(row) && columns.values.every((values, i) => values[row] === (i === 0 ? 0 : reading(row, i - 1)));
    if (!right || columns.rows !== rows) throw new Error(`Row ${row} was decoded wrongly`);
  }
}

/** Nanoseconds per value, clock and status included. */
const nsPerValue = (apdu: Uint8Array, rows: number): number => 1e9 / speedOf(decoderOf(apdu), 2 * BLOCK_MS) / (rows * SHAPE.columns);

/**
 * W2: a GET response with a day of a load profile into checked columns, against `JSON.parse` of the same rows. The ratio
 * compares the fully tagged form with the cheapest JSON, in which a clock is a single number.
 */
export async function run(): Promise<{ workload: 'W2'; ratio: number; detail: Record<string, number> }> {
  const tagged = responseOf(ROWS, 'tagged');
  const nulls = responseOf(ROWS, 'null');
  const compact = responseOf(ROWS, 'compact');
  const large = responseOf(MANY_ROWS, 'tagged');
  for (const apdu of [tagged, nulls, compact]) check(columnsOf(apdu), ROWS);
  check(columnsOf(large), MANY_ROWS);
  const json = jsonOf(ROWS, 'number');
  const jsonOctets = jsonOf(ROWS, 'octets');

  const main = inQuadruples(decoderOf(tagged), () => JSON.parse(json), QUADRUPLES);
  const side = (decode: () => unknown, text: string) => inQuadruples(decode, () => JSON.parse(text), SIDE_QUADRUPLES).ratio;
  return {
    workload: 'W2',
    ratio: main.ratio,
    detail: {
      profilesPerSecond: main.product,
      jsonPerSecond: main.reference,
      apduOctets: tagged.length,
      jsonOctets: json.length,
      ratioNewColumns: side(() => columnsOf(tagged), json),
      ratioNullData: side(decoderOf(nulls), json),
      ratioCompactArray: side(decoderOf(compact), json),
      ratioClockAsOctets: side(decoderOf(tagged), jsonOctets),
      nsPerValue96Rows: nsPerValue(tagged, ROWS),
      nsPerValue10000Rows: nsPerValue(large, MANY_ROWS),
    },
  };
}
