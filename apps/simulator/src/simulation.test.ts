import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientAssociation } from '@hes/dlms/association/client.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { captureObject } from '@hes/dlms/cosem/capture-object.ts';
import { associationLn } from '@hes/dlms/cosem/classes/association-ln.ts';
import { arrayOf, dataCodec, dateTimeOctets, octetString, structure, unsigned } from '@hes/dlms/cosem/data.ts';
import { fromEpochMs, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { decodeProfileBuffer, type ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import { entrySelection, rangeSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import { dataNotification } from '@hes/dlms/xdlms/data-notification.ts';
import { WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { DEVIATION_MINUTES, SLOT_MS, dayStart, localDay } from '#world/calendar.ts';
import type { MeterPlan } from '#world/plan.ts';
import type { MeterEntry } from '#control/commissioning.ts';
import { profileTruth } from '#control/truth.ts';
import { gridChannelsOf } from '#devices/meter-profiles.ts';
import { dial, type HeadEnd, managementClient, publicClientAssociation } from '../test/head-end.ts';
import { type Simulation, startSimulation } from './simulation.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 7, 8);
const TODAY = localDay(NOW);

let simulation: Simulation;
let headEnd: HeadEnd;
let dcuSn: string;

/** A meter behind the DCU that the tests dial. */
const meterThat = (is: (meter: MeterPlan) => boolean): MeterPlan => {
  const found = simulation.world.plan.meters.find((meter) => meter.dcu.sn === dcuSn && !meter.isSilent && !meter.hasWrongKey && is(meter));
  if (!found) throw new Error('No such meter behind this DCU');
  return found;
};
const entryOf = (plan: { sn: string }): MeterEntry => {
  const found = simulation.commissioning.meters.find((meter) => meter.sn === plan.sn);
  if (!found) throw new Error('Not in the archive');
  return found;
};
const reference = (key: WellKnownKey, attributeId = 2) => ({
  classId: WELL_KNOWN[key].cosemClass.id,
  instance: WELL_KNOWN[key].instance,
  attributeId,
});

async function open(plan: MeterPlan, overrides = {}): Promise<ClientAssociation> {
  const client = managementClient(entryOf(plan), overrides);
  await headEnd.run(client.open(), { meterSn: plan.sn });
  return client;
}

async function read(
  client: ClientAssociation,
  plan: MeterPlan,
  key: WellKnownKey,
  attributeId = 2,
  selection?: Selection,
): Promise<Uint8Array> {
  const result = await headEnd.run(client.get(reference(key, attributeId), selection), { meterSn: plan.sn });
  if (!result.ok) throw new Error(result.result);
  return result.data;
}

async function number(client: ClientAssociation, plan: MeterPlan, key: WellKnownKey, attributeId = 2): Promise<number> {
  const value = decode(dataCodec, await read(client, plan, key, attributeId));
  if (!('value' in value)) throw new Error('No value');
  return Number(value.value);
}

beforeAll(async () => {
  simulation = await startSimulation({ channel: 'fast', now: () => NOW });
  const dcu = simulation.commissioning.dcus.find((one) => one.connectionType === 'dial_out' && one.dataChannel === 'plc_rf');
  if (!dcu || dcu.port === null) throw new Error('The fleet has no DCU that is dialled');
  dcuSn = dcu.sn;
  headEnd = await dial(dcu.port);
});

afterAll(async () => {
  headEnd.close();
  await simulation.stop();
});

describe('a DCU', () => {
  test('reads out its own name for a client with its keys', async () => {
    const entry = simulation.commissioning.dcus.find((dcu) => dcu.sn === dcuSn);
    const client = managementClient(entry as NonNullable<typeof entry>); // as: it is the one that was dialled
    await headEnd.run(client.open(), {});
    const answer = await headEnd.run(client.get(reference('LDN')), {});
    expect(answer.ok && String.fromCharCode(...decode(octetString, answer.data))).toBe(dcuSn);
    await headEnd.run(client.release(), {});
  });

  test('rejects an address that is not in its archive', async () => {
    const answer = await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: '999999999999' });
    expect(answer && toHex(answer)).toBe('D80101');
  });
});

describe('a meter behind its DCU', () => {
  test('returns every register equal to the world', async () => {
    for (const plan of [
      meterThat((meter) => meter.phase === 'abc' && meter.kind !== 'master'),
      meterThat((meter) => meter.kind === 'master'),
      meterThat((meter) => meter.phase !== 'abc'),
    ]) {
      const client = await open(plan);
      expect(await number(client, plan, 'E_PLUS')).toBe(simulation.world.register(plan, NOW, 'plus', 0));
      expect(await number(client, plan, 'E_PLUS_T3')).toBe(simulation.world.register(plan, NOW, 'plus', 3));
      expect(await number(client, plan, 'E_MINUS')).toBe(simulation.world.register(plan, NOW, 'minus', 0));
      const seen = simulation.world.electricAt(plan, NOW);
      expect(await number(client, plan, 'U1')).toBe(Math.round((seen.voltages[0] ?? 0) * 10));
      expect(await number(client, plan, 'PF')).toBe(Math.round(seen.powerFactor * 1000));
      expect(await number(client, plan, 'P_PLUS')).toBe(Math.max(0, Math.round(seen.powerW)));
      expect(await number(client, plan, 'P_AVG_PLUS', 3)).toBe(
        simulation.world.averagePower(plan, Math.floor(NOW / SLOT_MS) * SLOT_MS, 900, 'plus'),
      );
      await headEnd.run(client.release(), { meterSn: plan.sn });
    }
  });

  test('responds to a list of references in one response', async () => {
    const plan = meterThat((meter) => meter.phase === 'a');
    const client = await open(plan);
    const results = await headEnd.run(client.getList([reference('E_PLUS'), reference('U2'), reference('E_PLUS', 3)]), { meterSn: plan.sn });
    expect(results.map((result) => (result.ok ? 'read' : result.result))).toEqual(['read', 'objectUndefined', 'read']);
  });

  test('lists its objects', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    const list = decode(associationLn.attributes.objectList.codec, await read(await open(plan), plan, 'ASSOCIATION'));
    const lpa = list.find((object) => object.instance === WELL_KNOWN.LPA.instance);
    expect(lpa?.accessRights.attributes.find(({ attributeId }) => attributeId === 2)?.accessSelectors).toEqual([1, 2]);
    expect(list.length).toBeGreaterThan(40);
  });

  test('has a clock with its own deviation, which a client can correct', async () => {
    const plan = meterThat((meter) => meter.driftSeconds !== 0);
    const client = await open(plan);
    const time = async (): Promise<number | null> => toEpochMs(decode(dateTimeOctets, await read(client, plan, 'CLOCK')));
    expect(await time()).toBe(NOW + plan.driftSeconds * 1000);
    const shift = await headEnd.run(
      client.invoke(
        { classId: 8, instance: WELL_KNOWN.CLOCK.instance, methodId: 6 },
        Uint8Array.of(0x10, (-plan.driftSeconds >> 8) & 255, -plan.driftSeconds & 255),
      ),
      { meterSn: plan.sn },
    );
    expect(shift.ok).toBe(true);
    expect(await time()).toBe(NOW);
  });

  test('gives the public client its clock and counter only', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    const client = publicClientAssociation();
    await headEnd.run(client.open(), { clientSap: 16, meterSn: plan.sn });
    const ask = async (key: WellKnownKey): Promise<string> => {
      const result = await headEnd.run(client.get(reference(key)), { clientSap: 16, meterSn: plan.sn });
      return result.ok ? 'read' : result.result;
    };
    expect(await ask('CLOCK')).toBe('read');
    expect(await ask('IC')).toBe('read');
    expect(await ask('E_PLUS')).toBe('readWriteDenied');
  });
});

describe('a profile', () => {
  const shape = { clockColumn: 0, capturePeriodSeconds: 900 };
  const columnsOf = async (client: ClientAssociation, plan: MeterPlan, key: WellKnownKey): Promise<number> =>
    decode(arrayOf(captureObject), await read(client, plan, key, 3)).length;

  async function rows(
    client: ClientAssociation,
    plan: MeterPlan,
    key: WellKnownKey,
    selection: Selection,
    capturePeriodSeconds = 900,
  ): Promise<ProfileColumns> {
    const columns = await columnsOf(client, plan, key);
    return decodeProfileBuffer(await read(client, plan, key, 2, selection), { ...shape, capturePeriodSeconds, columns });
  }

  const week = rangeSelection({ from: fromEpochMs(dayStart(TODAY - 7), DEVIATION_MINUTES), to: fromEpochMs(NOW, DEVIATION_MINUTES) });

  test.each(['plc', 'rf'] as const)('A of a %s meter comes by range, in blocks, for a week, as it is true', async (mode) => {
    const plan = meterThat((meter) => meter.mode === mode && meter.kind !== 'master');
    const truth = profileTruth(simulation.world, plan, 'lpa', dayStart(TODAY - 7), NOW);
    const read = await rows(await open(plan), plan, 'LPA', week);
    expect(read.rows).toBe(truth.length);
    expect(read.inferred).toBe(mode === 'rf');
    expect([...read.clock]).toEqual(truth.map((row) => Date.parse(row.at)));
    for (const [column, name] of (['ePlus', 'eMinus', 'pAvgPlus', 'pAvgMinus', 'sAvgPlus', 'sAvgMinus'] as const).entries()) {
      expect([...(read.values[column + 1] ?? [])]).toEqual(truth.map((row) => row[name]));
    }
  });

  test('B of a three-phase meter holds voltages, currents, neutral and power factors', async () => {
    const plan = meterThat((meter) => meter.phase === 'abc' && meter.kind !== 'master');
    const truth = profileTruth(simulation.world, plan, 'lpb', dayStart(TODAY - 7), NOW);
    const read = await rows(await open(plan), plan, 'LPB', week);
    const last = truth.at(-1);
    const held = read.values.slice(1).map((values) => values.at(-1) ?? Number.NaN);
    const channels = gridChannelsOf({ plan });
    expect(held.map((value, index) => value / 10 ** (channels[index]?.decimals ?? 0))).toEqual(channels.map(({ key }) => last?.[key]));
    const pfs = ['pf1', 'pf2', 'pf3'].map((key) => last?.[key]);
    expect(new Set(pfs).size).toBeGreaterThan(1);
  });

  test('of energies of a master meter holds 64-bit registers every hour', async () => {
    const plan = meterThat((meter) => meter.kind === 'master');
    const truth = profileTruth(simulation.world, plan, 'energy', dayStart(TODAY - 7), NOW);
    const read = await rows(await open(plan), plan, 'ENERGY', week, 3600);
    expect([...(read.values[1] ?? [])]).toEqual(truth.map((row) => row.ePlus));
  });

  test('of the daily freeze holds all registers at local midnight', async () => {
    const plan = meterThat((meter) => meter.exportDailyWh > 0 || meter.kind === 'household');
    const read = await rows(await open(plan), plan, 'DAILY', week, 86_400);
    expect([...read.clock]).toEqual(Array.from({ length: 8 }, (_, i) => dayStart(TODAY - 7 + i)));
    for (const tariff of [0, 1, 2, 3, 4] as const) {
      expect(read.values[1 + tariff]?.[3]).toBe(simulation.world.register(plan, dayStart(TODAY - 4), 'plus', tariff));
      expect(read.values[6 + tariff]?.[3]).toBe(simulation.world.register(plan, dayStart(TODAY - 4), 'minus', tariff));
    }
  });

  test('is read by entry, the newest last', async () => {
    const plan = meterThat((meter) => meter.kind === 'household' && meter.mode === 'plc');
    const client = await open(plan);
    const inUse = await number(client, plan, 'LPA', 7);
    expect(inUse).toBe(await number(client, plan, 'LPA', 8));
    const newest = await rows(client, plan, 'LPA', entrySelection({ fromEntry: inUse - 3, toEntry: 0 }));
    expect([...newest.clock]).toEqual([3, 2, 1, 0].map((back) => Math.floor(NOW / SLOT_MS) * SLOT_MS - back * SLOT_MS));
  });

  test('returns only the requested columns', async () => {
    const plan = meterThat((meter) => meter.kind === 'household' && meter.mode === 'plc');
    const client = await open(plan);
    const all = decode(arrayOf(captureObject), await read(client, plan, 'LPA', 3));
    const from = fromEpochMs(dayStart(TODAY), DEVIATION_MINUTES);
    const buffer = await read(
      client,
      plan,
      'LPA',
      2,
      rangeSelection({
        from,
        to: fromEpochMs(dayStart(TODAY) + SLOT_MS, DEVIATION_MINUTES),
        columns: all.filter((_, i) => i === 0 || i === 2),
      }),
    );
    const two = decodeProfileBuffer(buffer, { ...shape, columns: 2 });
    expect([...(two.values[0] ?? [])]).toEqual(
      [0, 1].map((slot) => simulation.world.register(plan, dayStart(TODAY) + slot * SLOT_MS, 'plus', 0)),
    );
  });

  test('of events holds the events of the world with their codes', async () => {
    const plan = meterThat((meter) => simulation.world.events(meter, 'standard', NOW - 60 * 86_400_000, NOW).length > 1);
    const events = simulation.world.events(plan, 'standard', NOW - 60 * 86_400_000, NOW);
    const log = decodeProfileBuffer(await read(await open(plan), plan, 'EVLOG0'), { clockColumn: 0, capturePeriodSeconds: 0, columns: 2 });
    expect([...log.clock]).toEqual(events.map((event) => event.at));
    expect([...(log.values[0] ?? [])]).toEqual(events.map((event) => event.code));
  });
});

describe('faults', () => {
  test('a client with wrong keys is refused', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    const client = managementClient({ ...entryOf(plan), ek: '00'.repeat(16) });
    await expect(headEnd.run(client.open(), { meterSn: plan.sn })).rejects.toThrow(/AUTH_FAILED|DECRYPT_FAILED|EXCEPTION|REFUSED/);
  });

  test('a repeated invocation counter is refused', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    await open(plan);
    await expect(open(plan, { nextCounter: () => 5 })).rejects.toThrow(/COUNTER|EXCEPTION|REFUSED|AUTH/);
  });

  test('silence makes one meter unresponsive until the fault is cleared and leaves others unaffected', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    const neighbour = meterThat((meter) => meter.kind === 'household' && meter !== plan);
    simulation.faults.add({ target: plan.sn, kind: 'silence' });
    expect(await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: plan.sn, withinMs: 50 })).toBeUndefined();
    await open(neighbour);
    simulation.faults.clear(plan.sn);
    await open(plan);
  });

  test('drop affects a single round trip', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    simulation.faults.add({ target: plan.sn, kind: 'drop', count: 1 });
    expect(await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: plan.sn, withinMs: 50 })).toBeUndefined();
    await open(plan);
  });

  test('wrong_key makes a meter refuse the keys of the archive', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    simulation.faults.add({ target: plan.sn, kind: 'wrong_key' });
    await expect(open(plan)).rejects.toThrow(/AUTH_FAILED|DECRYPT_FAILED|EXCEPTION|REFUSED/);
    simulation.faults.clear();
    await open(plan);
  });

  test('half_open keeps the socket of a DCU without responses, and garbage sends no DLMS', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    simulation.faults.add({ target: dcuSn, kind: 'half_open' });
    expect(await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: plan.sn, withinMs: 50 })).toBeUndefined();
    simulation.faults.clear();
    simulation.faults.add({ target: plan.sn, kind: 'garbage', count: 1 });
    await expect(open(plan)).rejects.toThrow(/./);
    await open(plan);
    const dialled = simulation.commissioning.dcus.find((dcu) => dcu.port !== null && dcu.sn !== dcuSn);
    const other = await dial(dialled?.port ?? 0);
    simulation.faults.add({ target: dialled?.sn ?? '', kind: 'garbage', count: 1 });
    expect(await other.ask(Uint8Array.of(0x60, 0), { withinMs: 50 })).toBeUndefined();
    other.close();
    expect(simulation.faults.list()).toEqual([]);
  });

  test('the meter of the plan with a wrong archive key refuses the association', async () => {
    const plan = simulation.world.plan.meters.find((meter) => meter.hasWrongKey) as MeterPlan; // as: every fleet has one
    const client = managementClient(entryOf(plan));
    const dcu = simulation.dcus.find((one) => one.plan === plan.dcu);
    const server: Server = createServer((socket) => dcu?.serve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const direct = await dial((server.address() as AddressInfo).port); // as: it listens on TCP
    await expect(direct.run(client.open(), { meterSn: plan.sn })).rejects.toThrow(/AUTH_FAILED|DECRYPT_FAILED|EXCEPTION|REFUSED/);
    direct.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a DCU that dials in', () => {
  const greeting = structure({ name: octetString, systemTitle: octetString, kind: unsigned });

  test('identifies itself and reconnects after a disconnection', async () => {
    const names: string[] = [];
    const sockets: Socket[] = [];
    const running: Simulation[] = [];
    const server = createServer();
    const twice = new Promise<void>((resolve) => {
      server.on('connection', (socket) => {
        sockets.push(socket);
        const deframer = new WrapperDeframer();
        socket.on('error', () => {});
        socket.on('data', (chunk: Buffer) => {
          for (const frame of deframer.push(chunk)) {
            const { name, kind } = decode(greeting, decode(dataNotification, frame.apdu).body);
            if (kind === 0) names.push(String.fromCharCode(...name));
          }
          if (names.length === 1) running[0]?.dcus[0]?.disconnect();
          if (names.length === 2) resolve();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    running.push(await startSimulation({ channel: 'fast', scale: { dcus: 1, metersPerDcu: 2 }, headEnd: { host: '127.0.0.1', port } }));
    await twice;
    expect(names).toEqual(['DCU27000001', 'DCU27000001']);
    await running[0]?.stop();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the control API', () => {
  const at = (path: string): string => `http://127.0.0.1:${simulation.controlPort}${path}`;
  const json = async (path: string, init?: RequestInit): Promise<{ status: number; body: any }> => {
    // any: each test checks the fields it asked for
    const response = await fetch(at(path), init);
    return { status: response.status, body: await response.json() };
  };

  test('returns the archive with its deliberate problems', async () => {
    const { body } = await json('/world');
    expect(body.meters).toHaveLength(480);
    expect(body.dcus).toHaveLength(18);
    expect(body.truth.problems.strangerDcus).toEqual(['DCU26900001']);
    expect(body.dcus.map((dcu: { sn: string }) => dcu.sn)).toEqual(expect.arrayContaining(body.truth.problems.absentDcus));
    expect(
      body.dcus.filter((dcu: { connectionType: string; port: number | null }) => dcu.connectionType === 'dial_out' && dcu.port !== null),
    ).toHaveLength(6);
  });

  test('returns the truth of registers, days and profiles', async () => {
    const plan = meterThat((meter) => meter.kind === 'household');
    const registers = await json(`/truth/meter/${plan.sn}/registers?at=${new Date(NOW).toISOString()}`);
    expect(registers.body.ePlus).toBe(simulation.world.register(plan, NOW, 'plus', 0));
    expect(registers.body.ePlusT.reduce((a: number, b: number) => a + b, 0)).toBe(registers.body.ePlus);
    const daily = await json(`/truth/meter/${plan.sn}/daily?date=2026-11-20`);
    expect(daily.body.ePlus).toBe(simulation.world.register(plan, Date.parse('2026-11-20T00:00:00+08:00'), 'plus', 0));
    const profile = await json(`/truth/meter/${plan.sn}/profile/lpa?from=2026-11-19T16:00:00Z&to=2026-11-20T15:59:59Z`);
    expect(profile.body.rows).toHaveLength(96);
  });

  test('holds time, which makes readings comparable to the last digit', async () => {
    const post = (order: object): RequestInit => ({ method: 'POST', body: JSON.stringify(order) });
    const moment = new Date(NOW - 3_600_000).toISOString();
    expect((await json('/clock', post({ hold: true, at: moment }))).body).toEqual({ now: moment, held: true });
    const plan = meterThat((meter) => meter.kind === 'household');
    expect(await number(await open(plan), plan, 'E_PLUS')).toBe(simulation.world.register(plan, NOW - 3_600_000, 'plus', 0));
    expect((await json('/clock', post({ hold: false }))).body).toEqual({ now: new Date(NOW).toISOString(), held: false });
    expect((await json('/clock', post({ hold: 'maybe' }))).status).toBe(400);
  });

  test('adds and clears faults, and rejects unknown ones', async () => {
    const post = (fault: object): RequestInit => ({ method: 'POST', body: JSON.stringify(fault) });
    expect((await json('/fault', post({ target: dcuSn, kind: 'slow', delayMs: 5 }))).status).toBe(200);
    expect((await json('/fault')).body.faults).toEqual([{ target: dcuSn, kind: 'slow', delayMs: 5 }]);
    expect((await json('/fault', { method: 'DELETE' })).body.faults).toEqual([]);
    expect((await json('/fault', post({ target: 'nobody', kind: 'slow' }))).status).toBe(404);
    expect((await json('/fault', post({ target: dcuSn, kind: 'tantrum' }))).status).toBe(400);
    expect((await json('/fault', { method: 'POST', body: 'not json' })).status).toBe(400);
    expect((await json('/nowhere')).status).toBe(404);
  });

  // Must be the last test: the meter stays replaced.
  test('replaces a meter: the old one is unresponsive, the new one has its own keys, profiles and readings, and consumption is continuous', async () => {
    const at = NOW - 2 * 3_600_000 - 100_000;
    const old = meterThat((meter) => meter.kind === 'household' && meter.phase !== 'abc');
    const post = (order: object): RequestInit => ({ method: 'POST', body: JSON.stringify(order) });
    const { body: slip } = await json(`/exchange/${old.sn}`, post({ at: new Date(at).toISOString(), told: true }));
    expect((await json('/exchange')).body.exchanges).toEqual([slip]);
    expect(await headEnd.ask(Uint8Array.of(0x60, 0), { meterSn: slip.oldSn, withinMs: 50 }).then((answer) => answer && toHex(answer))).toBe(
      'D80101',
    );
    const fresh = simulation.world.meterBySn.get(slip.new.sn) as MeterPlan; // as: the control API has just named it
    await expect(headEnd.run(managementClient({ ...slip.new, ek: entryOf(old).ek }).open(), { meterSn: fresh.sn })).rejects.toThrow(/./);
    const client = managementClient(slip.new);
    await headEnd.run(client.open(), { meterSn: fresh.sn });
    const shown = await number(client, fresh, 'E_PLUS');
    const { body: flow } = await json(
      `/truth/meter/${old.sn}/flow?from=${new Date(NOW - 86_400_000).toISOString()}&to=${new Date(NOW).toISOString()}`,
    );
    const before = simulation.world.register(old, NOW - 86_400_000, 'plus', 0);
    expect(slip.final.ePlus - before + shown - slip.initial.ePlus).toBe(flow.plus);
    const shape = { clockColumn: 0, capturePeriodSeconds: SLOT_MS / 1000, columns: 8 };
    const profile = decodeProfileBuffer(await read(client, fresh, 'LPA'), shape);
    expect(profile.clock[0]).toBe(Math.ceil(at / SLOT_MS) * SLOT_MS);
    expect([...profile.clock]).toHaveLength(Math.floor(NOW / SLOT_MS) - Math.ceil(at / SLOT_MS) + 1);
    expect([await number(client, fresh, 'DAILY', 7), await number(client, fresh, 'MONTHLY', 7)]).toEqual([0, 0]);
    await headEnd.run(client.release(), { meterSn: fresh.sn });
    // The archive delivered at the start does not contain the new meter.
    expect((await json('/world')).body.meters.map(({ sn }: MeterEntry) => sn)).not.toContain(fresh.sn);
    expect((await json('/world')).body.truth.problems.exchangedMeters).toEqual([old.sn]);
    expect((await json(`/exchange/${old.sn}`, post({}))).status).toBe(400);
    expect((await json('/exchange/nobody', post({}))).status).toBe(404);
  });
});
