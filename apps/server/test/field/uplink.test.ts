import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { dbmOf } from '@hes/dlms/cosem/classes/gsm-diagnostic.ts';
import { hasModem, uplinkAt } from '@hes/simulator/world/uplink.ts';
import { findDcu, listDcus } from '../../src/features/assets/dcu/queries.ts';
import type { User } from '../../src/db/context.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const DCUS = 8;
let town: ArchiveBench;
let user: User;
beforeAll(async () => {
  town = await archiveBench({ dcus: DCUS, metersPerDcu: 1 });
  const found = await town.bench.database.pool.query<{ id: string }>("select id from app_user where username = 'admin'");
  const id = found.rows[0]?.id ?? '';
  user = { id, username: 'admin', name: 'admin', sessionId: '1', mustChangePassword: false, actions: new Map(), scope: { kind: 'whole' } };
});
afterAll(() => town.close());

const plans = () => town.simulation.world.plan.dcus;
const truth = (at: number) => {
  const plan = plans()[at];
  if (plan === undefined || !hasModem(plan)) return undefined;
  return uplinkAt(town.simulation.world.plan.seed, plan, Date.now());
};
const idOf = (at: number): string => town.dcuIds[at] ?? '';
const rowOf = async (at: number) => (await findDcu(town.bench.database.db, user, idOf(at)))?.detail;
const list = async (query: object) =>
  (await listDcus(town.bench.database.db, user, dcu.list.query.parse(query))).items.map(({ sn, uplink, signal }) => ({
    sn,
    uplink,
    signal,
  }));
const wired = () => plans().findIndex((plan) => !hasModem(plan));
const resultOf = async (at: number) => {
  const found = await town.bench.database.pool.query<{ result: { uplink?: object; values: { item: string; value: unknown }[] } }>(
    "select result from task_item where kind = 'dcu_read_info' and dcu_id = $1 order by id desc limit 1",
    [idOf(at)],
  );
  return found.rows[0]?.result;
};
const told = (result: Awaited<ReturnType<typeof resultOf>>) =>
  Object.fromEntries((result?.values ?? []).map(({ item, value }) => [item, value]));

describe('the uplink of a DCU', () => {
  it('S-006: is unknown until it is read, and then has the values of the modem and their time', async () => {
    expect(await rowOf(0)).toMatchObject({ uplink: null, signal: null });
    // Signals change every quarter of an hour, so a read at its end may return either value.
    const before = truth(0);
    const begunAt = Date.now();
    expect(await town.order(idOf(0), 'dcu_read_info')).toMatchObject({ state: 'read_success' });
    const row = await rowOf(0);
    const after = truth(0);
    expect([dbmOf(before?.signalQuality ?? 99), dbmOf(after?.signalQuality ?? 99)]).toContain(row?.uplink?.signalDbm);
    expect(row?.uplink).toMatchObject({
      hasModem: true,
      operator: after?.operator,
      registration: 'registered_home',
      packetService: after?.service,
      cellId: after?.cellId,
      locationId: after?.locationId,
      network: `999-0${after?.mobileNetworkCode}`,
      bitErrorStep: after?.service === 'lte' ? null : after?.bitErrorRate,
    });
    expect(Date.parse(row?.uplink?.readAt ?? '')).toBeGreaterThanOrEqual(begunAt);
    expect(Date.parse(row?.uplink?.measuredAt ?? '')).toBeGreaterThan(begunAt - 90_000);
    const result = await resultOf(0);
    expect(result?.uplink).toEqual(row?.uplink);
    expect(told(result)).toMatchObject({
      TCP_UDP: 4059,
      IPV4: '10.64.0.0',
      PPP: plans()[0]?.sn,
      GPRS: 'hes.utility',
      AUTO_CONNECT_MODE: '101',
      AUTO_CONNECT: 'headend.utility.example:4059',
      NTP_ACTIVE: 'true',
      NTP: 'ntp.utility.example',
    });
    // It has the objects of its network only, and missing ones are no failure.
    expect(told(result)).not.toHaveProperty('MAC');
  });

  it('S-006: of a DCU with a wired network has no modem, which is a result and no error', async () => {
    expect(await town.order(idOf(wired()), 'dcu_read_info')).toMatchObject({ state: 'read_success' });
    expect(await rowOf(wired())).toMatchObject({ uplink: { hasModem: false, signalDbm: null, operator: null }, signal: null });
    const result = await resultOf(wired());
    expect(result?.uplink).toMatchObject({ hasModem: false });
    expect(told(result)).toMatchObject({ MAC: `02:48:45:53:00:0${wired()}`, NTP: 'ntp.utility.example' });
    for (const item of ['GSM', 'GPRS', 'PPP']) expect(told(result)).not.toHaveProperty(item);
  });

  it('is read together with the network below', async () => {
    expect((await rowOf(1))?.uplink).toBeNull();
    expect(await town.order(idOf(1), 'topology')).toMatchObject({ state: 'read_success' });
    expect((await rowOf(1))?.uplink).toMatchObject({ hasModem: true, operator: truth(1)?.operator });
  });

  it('sorts by measured values with unknown ones last in both directions, and is filtered by level with the configured limits', async () => {
    for (let at = 0; at < DCUS - 1; at++) await town.order(idOf(at), 'dcu_read_info');
    const { pool } = town.bench.database;
    const setTo = (at: number, dbm: number | null) =>
      pool.query('update dcu_uplink set signal_dbm = $2 where dcu_id = $1', [idOf(at), dbm]);
    await Promise.all([setTo(0, -97), setTo(1, -61), setTo(3, null)]);
    const dbms = async (sort: string) => (await list({ sort })).map(({ uplink }) => uplink?.signalDbm ?? null);
    const known = (await dbms('signal,asc')).filter((dbm) => dbm !== null);
    expect(known[0]).toBe(-97);
    expect(await dbms('signal,asc')).toEqual([...known.toSorted((a, b) => a - b), ...Array<null>(DCUS - known.length).fill(null)]);
    expect(await dbms('signal,desc')).toEqual([...known.toSorted((a, b) => b - a), ...Array<null>(DCUS - known.length).fill(null)]);
    const sns = plans().map(({ sn }) => sn);
    expect((await list({ signal: 'fail' })).map(({ sn }) => sn)).toContain(sns[0]);
    // An uplink that was not read, or without modem, is not "no signal"; only a modem without measurement is.
    expect(await list({ signal: 'no_signal' })).toMatchObject([{ sn: sns[3], signal: 'no_signal' }]);
    expect((await list({ signal: 'outstanding,excellent' })).map(({ sn }) => sn)).toContain(sns[1]);
    expect(await list({ signal: 'outstanding' })).not.toContainEqual(expect.objectContaining({ sn: sns[1] }));
    const limits = JSON.stringify({ plcSnrDb: [25, 18, 12, 6], rfRssiDbm: [-62, -75, -85, -99] });
    await pool.query("insert into setting (key, value) values ('signal', $1) on conflict (key) do update set value = excluded.value", [
      limits,
    ]);
    expect(await list({ signal: 'outstanding' })).toContainEqual(expect.objectContaining({ sn: sns[1], signal: 'outstanding' }));
    expect((await list({ signal: 'poor' })).map(({ sn }) => sn)).toContain(sns[0]);
  });
});
