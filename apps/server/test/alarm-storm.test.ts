import type { CommissioningFile } from '../src/db/seed/commissioning.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AlarmBench, POWER_DOWN } from './alarm-bench.ts';
import { MailServer } from './mail-server.ts';
import { smallTown } from './town.ts';

const DCUS = 20;
const METERS_OF_DCU = 250;
const MINUTE_MS = 60_000;

/** The small town with twenty DCUs under one district, and 250 meters of each. */
function largeTown(): CommissioningFile {
  const town = smallTown();
  const [dcu] = town.dcus;
  const [, meter] = town.meters;
  if (dcu === undefined || meter === undefined) throw new Error('The small town has devices');
  const title = (prefix: string, number: number) => `${prefix}${number.toString(16).toUpperCase().padStart(10, '0')}`;
  const dcus = Array.from({ length: DCUS }, (_, k) => ({
    ...dcu,
    sn: `DCUX${1000 + k}`,
    name: `DCU ${k}`,
    systemTitle: title('434341', k),
  }));
  const meters = dcus.flatMap(({ sn }, k) =>
    Array.from({ length: METERS_OF_DCU }, (_, n) => {
      const number = k * METERS_OF_DCU + n;
      return { ...meter, sn: `MX${100_000 + number}`, dcuSn: sn, systemTitle: title('4D4D4D', number) };
    }),
  );
  return {
    ...town,
    dcus,
    meters,
    transformers: town.transformers.map(({ masterMeterSn: _masterMeterSn, ...rest }) => ({ ...rest, masterMeterSn: null })),
  };
}

let bench: AlarmBench;
let mails: MailServer;
beforeAll(async () => {
  bench = await AlarmBench.open({}, largeTown());
  mails = await new MailServer().listen();
}, 120_000);
afterAll(async () => {
  await bench.close();
  await mails.close();
});

test('5,000 meters go dark: exactly one mail', { timeout: 300_000 }, async () => {
  const channel = await bench.addMailChannel(mails.port);
  const duty = await bench.addRecipient();
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [duty] }], { gatherSeconds: 600 });
  const engine = bench.start();
  await engine.runNow();
  const { rows: meters } = await bench.app.ctx.pool.query<{ id: string; dcuId: string }>(
    `select m.id, m.dcu_id as "dcuId" from meter m where m.sn like 'MX%' order by m.id`,
  );
  expect(meters).toHaveLength(DCUS * METERS_OF_DCU);
  // The counting lasts longer than the test, whatever the load of the machine. The outage spreads over four minutes, and meters report it twice: by a push, and when the log is read.
  const began = bench.clock.now();
  for (const half of [0, 1]) {
    await Promise.all(
      meters
        .filter((_, index) => index % 2 === half)
        .map(({ id, dcuId }, index) => {
          const occurAt = began + ((index * 97) % (4 * MINUTE_MS));
          const events = [{ ...POWER_DOWN, occurAt, message: '', raw: new Uint8Array() }];
          return bench.events.store({ deviceKind: 'meter', meterId: id, dcuId, source: 'push', traceId: null, events });
        }),
    );
    await engine.runNow();
    bench.advance(20_000);
  }
  await engine.runNow();
  bench.advance(10 * MINUTE_MS);
  await engine.runNow();
  const incidents = await bench.app.ctx.pool.query('select from incident');
  expect(incidents.rowCount).toBe(DCUS);
  expect(mails.received.map(({ subject }) => subject)).toEqual(['Warning: Power Down, 5,000 meters, 20 DCUs']);
  expect(mails.received[0]?.text).toContain('and 15 more');
  expect(await bench.list()).toMatchObject([{ events: 5000, meters: 5000, dcus: DCUS, messages: [{ state: 'sent' }] }]);
  // The power flaps within the hour: counts change, and no second mail leaves.
  for (let round = 1; round <= 3; round++) {
    bench.advance(15 * MINUTE_MS);
    const occurAt = bench.clock.now();
    await Promise.all(
      meters.slice(0, 500).map(({ id, dcuId }) => {
        const events = [{ ...POWER_DOWN, occurAt, message: '', raw: new Uint8Array() }];
        return bench.events.store({ deviceKind: 'meter', meterId: id, dcuId, source: 'push', traceId: null, events });
      }),
    );
    await engine.runNow();
  }
  expect(mails.received).toHaveLength(1);
  expect(await bench.list()).toMatchObject([{ events: 6500, meters: 5000 }]);
});
