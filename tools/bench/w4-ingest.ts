import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { splitReading, type ProfileReading } from '../../apps/server/src/storage/day-rows.ts';
import { copyDaysInto } from '../../apps/server/src/storage/queries.ts';
import { copyInto, profileOctets } from '../../apps/server/src/storage/staging.ts';
import { ReadingWriter } from '../../apps/server/src/storage/writer.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { cpuSecondsOf, interleave, measured, type Interleaved } from './interleaved.ts';
import { openScratchDatabase } from './scratch-database.ts';

const BLOCKS = 7;
const METERS = 2_000;
const DAYS_PER_BLOCK = 2;
const SLOTS = 96;
const CHANNELS_FILLED = 4;
const DAY_MS = 86_400_000;
/** Slots begin with the days of UTC. */
const UTC_GRID = { leadMs: () => 0 };
const QUARTER_MS = 900_000;
const DCUS = 50;
/** Concurrent calls: the load of 50 DCUs with a little pipelining. */
const IN_FLIGHT = 2_000;

/** A meter-day of realistic values: two rising registers, two varying powers. */
function readingOf(meter: number, day: number): ProfileReading {
  const channels: (Float64Array | undefined)[] = CHANNELS.map(() => undefined);
  const register = (base: number, step: number) => {
    let value = base * 1_000_000 + meter * 5_000;
    return Float64Array.from({ length: SLOTS }, (_, slot) => (value += (slot * step + meter * 13 + day * 7) % 397));
  };
  channels[0] = register(3, 7);
  channels[1] = register(1, 3);
  channels[2] = Float64Array.from({ length: SLOTS }, (_, slot) => (slot * 31 + meter + day) % 3_000);
  channels[3] = Float64Array.from({ length: SLOTS }, (_, slot) => (slot * 17 + meter + day) % 900);
  return {
    meterId: String(meter),
    dcuId: String((meter % DCUS) + 1),
    profile: 'lpa',
    periodSeconds: QUARTER_MS / 1000,
    stamps: Float64Array.from({ length: SLOTS }, (_, slot) => day * DAY_MS + slot * QUARTER_MS),
    status: new Float64Array(SLOTS),
    channels,
    readAt: day * DAY_MS + DAY_MS,
    source: 'meter',
    traceId: undefined,
  };
}

/** W4: readings through the product's writer, committed and merged, against COPY of the same rows into the same kind of table. */
export async function w4(): Promise<Interleaved> {
  const database = await openScratchDatabase();
  const { pool } = database;
  const context = { pool, clock: systemClock, log: createLog('error'), bus: createBus(), settings: { timeZone: 'UTC' } };
  const writer = new ReadingWriter(context);
  const firstDay = Math.floor(Date.now() / DAY_MS) - BLOCKS * DAYS_PER_BLOCK - 2;
  const readingsOf = (block: number): ProfileReading[] =>
    Array.from({ length: METERS * DAYS_PER_BLOCK }, (_, i) =>
      readingOf((i % METERS) + 1, firstDay + block * DAYS_PER_BLOCK + Math.floor(i / METERS)),
    );
  const values = METERS * DAYS_PER_BLOCK * SLOTS * CHANNELS_FILLED;
  const others = () => (database.pid === undefined ? undefined : cpuSecondsOf([database.pid]));
  try {
    await prepareReference(pool, firstDay);
    const result = await interleave(BLOCKS, {
      product(block) {
        const readings = readingsOf(block);
        let next = 0;
        const lane = async () => {
          for (let reading = readings[next++]; reading !== undefined; reading = readings[next++]) await writer.storeProfile(reading);
        };
        return measured(values, others, () => Promise.all(Array.from({ length: IN_FLIGHT }, lane)));
      },
      async reference(number) {
        const octets = profileOctets(readingsOf(number).flatMap((reading) => splitReading(reading, UTC_GRID).rows));
        const client = await pool.connect();
        const block = await measured(values, others, () => copyInto(client, copyDaysInto('reference_profile'), octets));
        client.release();
        return block;
      },
    });
    await check(pool);
    return result;
  } finally {
    await writer.stop();
    await database.stop();
  }
}

type Pool = Awaited<ReturnType<typeof openScratchDatabase>>['pool'];

/** A table like that of the readings: the same columns, key and partitions, with the same durability. */
async function prepareReference(pool: Pool, firstDay: number): Promise<void> {
  await pool.query('create table reference_profile (like reading_profile including all) partition by range (day)');
  const first = new Date(firstDay * DAY_MS);
  for (let offset = 0; offset < 3; offset++) {
    const month = (n: number) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n, 1)).toISOString().slice(0, 10);
    await pool.query(
      `create table reference_profile_${offset} partition of reference_profile for values from ('${month(offset)}') to ('${month(offset + 1)}')`,
    );
  }
}

const SUMS =
  'count(*)::int as rows, sum(present)::int as present, sum((select sum(v) from unnest(e_plus_wh) v)) as e, sum((select sum(v) from unnest(p_avg_plus_w) v)) as p';

/** Verifies that both tables hold the same values. */
async function check(pool: Pool): Promise<void> {
  const product = await pool.query(`select ${SUMS} from reading_profile`);
  const reference = await pool.query(`select ${SUMS} from reference_profile`);
  if (JSON.stringify(product.rows) !== JSON.stringify(reference.rows)) {
    throw new Error(`The stored values differ: ${JSON.stringify(product.rows)} and ${JSON.stringify(reference.rows)}`);
  }
}
