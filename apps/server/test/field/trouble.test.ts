import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test, vi } from 'vitest';
import { holdOwnerLock } from '../../src/db/advisory-locks.ts';
import { leaseItems } from '../leased.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

let bench: Bench;
let headEnd: HeadEnd;
beforeAll(async () => {
  bench = await fieldBench();
});
beforeEach(async () => {
  headEnd = await bench.headEnd({ limits: { identificationMs: 200, frameMs: 200 } });
});
afterEach(() => headEnd.stop());
afterAll(() => bench.close());

const HOUR_S = 3600;

const registersOf = (dcuId: string, meterIds: string[]) => ({
  kind: 'registers' as const,
  params: { items: ['E_PLUS'] },
  items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
});

async function reasonOfStranger(send: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  const socket = connect(headEnd.field.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  const remote = `127.0.0.1:${socket.localPort}`;
  send(socket);
  const reason = await vi.waitFor(
    async () => {
      const found = await bench.database.pool.query<{ close_reason: string }>(
        'select close_reason from dcu_session where remote = $1 and closed_at is not null',
        [remote],
      );
      const [row] = found.rows;
      if (row === undefined) throw new Error('Not closed yet');
      return row.close_reason;
    },
    { timeout: 5_000 },
  );
  socket.destroy();
  return reason;
}

describe('unregistered or faulty callers', () => {
  test('bytes that are not DLMS end the connection with that reason', async () => {
    expect(await reasonOfStranger((socket) => socket.write('GET / HTTP/1.1\r\n\r\n'))).toBe('not_dlms');
  });

  test('a DLMS frame without identification ends the connection, too', async () => {
    expect(await reasonOfStranger((socket) => socket.write(Buffer.from('0001000100010003C40101', 'hex')))).toBe('not_dlms');
  });

  test('a connection without any frame is closed after the timeout', async () => {
    expect(await reasonOfStranger(() => undefined)).toBe('identification_timeout');
  });

  test('an incomplete frame ends in a timeout', async () => {
    expect(await reasonOfStranger((socket) => socket.write(Buffer.from('0001000100010400', 'hex')))).toMatch(
      /^(frame|identification)_timeout$/,
    );
  });

  test('a connection that closes at once is recorded', async () => {
    expect(await reasonOfStranger((socket) => socket.end())).toBe('peer_closed');
  });

  test('an unregistered DCU is listed', async () => {
    headEnd.dial('NOBODY0001', []);
    await vi.waitFor(async () => {
      const parked = await bench.database.pool.query("select from dcu_unregistered where claimed_name = 'NOBODY0001'");
      expect(parked.rowCount).toBe(1);
      const session = await bench.database.pool.query("select close_reason from dcu_session where claimed_name = 'NOBODY0001'");
      expect(session.rows).toEqual([{ close_reason: 'unregistered' }]);
    });
  });

  test('connections above the limit per address are refused', async () => {
    // The other head-end would fail items for a DCU that is not connected to it.
    await headEnd.stop();
    headEnd = await bench.headEnd({ limits: { unidentifiedPerAddress: 0 } });
    expect(await reasonOfStranger(() => undefined)).toBe('too_many_connections');
  });
});

describe('bad meters', () => {
  test('each has its reason, and the other meters are read', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE001', 4);
    const [good, wrongKey, unknown, keyless] = meters;
    if (good === undefined || wrongKey === undefined || unknown === undefined || keyless === undefined) throw new Error('No meters');
    wrongKey.keys.ek.fill(0xee);
    await bench.database.pool.query('update meter set ek_secret = null where sn = $1', [keyless.sn]);
    headEnd.dial('TROUBLE001', [good, wrongKey, keyless]);
    const { ended } = await headEnd.order(registersOf(dcuId, meterIds));
    expect((await ended).map(({ state, reason }) => [state, reason])).toEqual([
      ['read_success', null],
      ['read_fail', 'AUTH_FAILED'],
      ['read_fail', 'NOT_IN_ARCHIVE'],
      ['read_fail', 'KEYS_MISSING'],
    ]);
  });

  test('a meter that never answers is tried three times, and the others do not wait for it', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE002', 2);
    const [silent] = meters;
    if (silent === undefined) throw new Error('No meter');
    silent.silent = true;
    const dcu = headEnd.dial('TROUBLE002', meters);
    const { ended } = await headEnd.order(registersOf(dcuId, meterIds));
    expect(await ended).toEqual([
      { state: 'read_fail', reason: 'METER_TIMEOUT', attempts: 3 },
      { state: 'read_success', reason: null, attempts: 1 },
    ]);
    const [first = '', second = ''] = meters.map(({ sn }) => sn);
    expect(dcu.asked.lastIndexOf(second)).toBeLessThan(dcu.asked.lastIndexOf(first));
  });

  test('requests lost on the power line are retransmitted within one association, and nothing fails', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE012', 1);
    const [meter] = meters;
    const dcu = headEnd.dial('TROUBLE012', meters);
    // Lost: the association request; its HLS pass, which restarts the association; the response of a read; the request of another one.
    dcu.fates.push('answer', 'arrives', 'question', 'arrives', 'arrives', 'answer', 'arrives', 'question');
    const { ended } = await headEnd.order({ ...registersOf(dcuId, meterIds), params: { items: ['E_PLUS', 'E_MINUS'] } });
    expect(await ended).toEqual([{ state: 'read_success', reason: null, attempts: 1 }]);
    expect(meter?.opened).toBe(3);
    expect(meter?.accepted).toEqual([...new Set(meter?.accepted)].toSorted((a, b) => a - b));
    expect(dcu.fates).toEqual([]);
  });

  test('one exception response to a read does not end the association, and a second one in a row does', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE015', 1);
    const dcu = headEnd.dial('TROUBLE015', meters);
    const objects = ['1.0.1.8.0.255', '1.0.2.8.0.255', '1.0.1.8.0.255', '1.0.2.8.0.255'].map((name, i) => ({
      key: `OBJECT_${i}`,
      obis: name,
      classId: 3,
      attribute: 2,
    }));
    const check = async () => {
      const { id, ended } = await headEnd.order({
        ...registersOf(dcuId, meterIds),
        kind: 'conformance',
        params: { typeId: '1', dcuSn: 'TROUBLE015', objects },
      });
      const [item] = await ended;
      const { rows } = await bench.database.pool.query('select result from task_item where task_id = $1', [id]);
      const values: { reasonCode: string | null }[] = rows[0].result.values;
      return { attempts: item?.attempts, reasons: values.map(({ reasonCode }) => reasonCode), opened: meters[0]?.opened };
    };
    // Association request, HLS pass and two lists; then the objects.
    dcu.fates.push('arrives', 'arrives', 'arrives', 'arrives', 'arrives', 'refused', 'arrives', 'refused');
    expect(await check()).toEqual({ attempts: 1, reasons: [null, 'TEMPORARY_FAILURE', null, 'TEMPORARY_FAILURE'], opened: 1 });
    expect(dcu.fates).toEqual([]);
    dcu.fates.push('arrives', 'arrives', 'arrives', 'arrives', 'refused', 'refused');
    expect(await check()).toEqual({ attempts: 2, reasons: [null, null, null, null], opened: 3 });
  });

  test('the response timeout adapts to a channel that becomes slower than it, and no meter is reported with a wrong key', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE014', 12);
    const hasty = await bench.headEnd({ timeoutLimits: { shortestMs: 80, firstMs: 400, longestMs: 3_000 } });
    await headEnd.stop();
    headEnd = hasty;
    const dcu = headEnd.dial('TROUBLE014', meters);
    const learnt = await headEnd.order(registersOf(dcuId, meterIds.slice(0, 6)));
    expect((await learnt.ended).map(({ state }) => state)).toEqual(meterIds.slice(0, 6).map(() => 'read_success'));
    dcu.latencyMs = 130;
    const { ended } = await headEnd.order(registersOf(dcuId, meterIds.slice(6)));
    expect(await ended).toEqual(meterIds.slice(6).map(() => ({ state: 'read_success', reason: null, attempts: 1 })));
  });

  test('rows outside the requested range come from a wrong clock, and none of them is stored', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE013', 2);
    const [late, lost] = meters;
    if (late === undefined || lost === undefined) throw new Error('No meters');
    late.stampedAheadMs = 2 * 3_600_000;
    lost.stampedAheadMs = -365 * 86_400_000;
    headEnd.dial('TROUBLE013', meters);
    const { ended } = await headEnd.order({
      ...registersOf(dcuId, meterIds),
      kind: 'lpa' as const,
      params: { from: '2026-05-01', to: '2026-05-01', store: true },
    });
    expect((await ended).map(({ reason }) => reason)).toEqual(['CLOCK_INVALID', 'CLOCK_INVALID']);
    const { rows } = await bench.database.pool.query('select from reading_profile where meter_id = any($1)', [meterIds]);
    expect(rows).toEqual([]);
  });

  test('a missing object has its own reason, the others have their values', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE003', 1);
    headEnd.dial('TROUBLE003', meters);
    const order = { ...registersOf(dcuId, meterIds), params: { items: ['E_PLUS', 'U1', 'E_MINUS'] } };
    const { id, ended } = await headEnd.order(order);
    await ended;
    const { rows } = await bench.database.pool.query('select result from task_item where task_id = $1', [id]);
    expect(rows[0].result.values.map((value: { item: string; reasonCode: string | null }) => [value.item, value.reasonCode])).toEqual([
      ['E_PLUS', null],
      ['U1', 'OBJECT_UNDEFINED'],
      ['E_MINUS', null],
    ]);
  });
});

describe('connections', () => {
  test('an order for an offline DCU fails with that reason', async () => {
    const { dcuId, meterIds } = await bench.register('TROUBLE004', 1);
    const { ended } = await headEnd.order(registersOf(dcuId, meterIds));
    expect((await ended).map(({ reason }) => reason)).toEqual(['DCU_OFFLINE']);
  });

  test('a connection that breaks during an exchange is a temporary failure', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE005', 1);
    const dcu = headEnd.dial('TROUBLE005', meters);
    dcu.hold = true;
    dcu.onAsked = () => dcu.socket.end();
    const { id, ended } = await headEnd.order(registersOf(dcuId, meterIds));
    await vi.waitFor(
      async () => {
        const items = await bench.database.pool.query<{ state: string; reason: string | null }>(
          'select state, reason_code as reason from task_item where task_id = $1',
          [id],
        );
        expect(items.rows).toEqual([{ state: 'waiting', reason: 'LINK_LOST' }]);
      },
      { timeout: 5_000 },
    );
    headEnd.dial('TROUBLE005', meters);
    expect((await ended)[0]?.state).toBe('read_success');
    const sessions = await bench.database.pool.query<{ reason: string | null }>(
      'select close_reason as reason from dcu_session where dcu_id = $1 order by id',
      [dcuId],
    );
    expect(sessions.rows.map(({ reason }) => reason)).toEqual(['peer_closed', null]);
  });

  test('a DCU that connects again replaces its connection', async () => {
    const { dcuId, meters } = await bench.register('TROUBLE006', 1);
    headEnd.dial('TROUBLE006', meters);
    await vi.waitFor(() => expect(headEnd.field.reach.isOnline(dcuId)).toBe(true));
    headEnd.dial('TROUBLE006', meters);
    await vi.waitFor(async () => {
      const sessions = await bench.database.pool.query<{ reason: string | null }>(
        'select close_reason as reason from dcu_session where dcu_id = $1 order by id',
        [dcuId],
      );
      expect(sessions.rows.map(({ reason }) => reason)).toEqual(['replaced', null]);
    });
    const status = await bench.database.pool.query('select online_status from dcu where id = $1', [dcuId]);
    expect(status.rows).toEqual([{ online_status: 'online' }]);
  });
});

describe('the queue', () => {
  test('an order of an operator overtakes collection after the current exchange', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE007', 3);
    const slower = await bench.headEnd({ timeoutLimits: { longestMs: 10_000 } });
    await headEnd.stop();
    headEnd = slower;
    const dcu = headEnd.dial('TROUBLE007', meters);
    dcu.latencyMs = 60;
    const asked = new Promise<void>((resolve) => (dcu.onAsked = resolve));
    const items = meterIds.slice(0, 2).map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
    const bulk = await headEnd.order({
      kind: 'collect' as const,
      source: 'plan',
      priority: 5,
      params: { profiles: ['lpa'], lookBackDays: 7 },
      items,
    });
    await asked;
    const operator = await headEnd.order(registersOf(dcuId, meterIds.slice(2)));
    await Promise.all([bulk.ended, operator.ended]);
    const sn = meters[2]?.sn ?? '';
    const first = dcu.asked.indexOf(sn);
    const last = dcu.asked.lastIndexOf(sn);
    expect(dcu.asked.slice(first, last + 1).every((one) => one === sn)).toBe(true);
    expect(dcu.asked.slice(last + 1).filter((one) => one !== sn).length).toBeGreaterThan(3);
  });

  test('items of a crashed head-end are claimed when their lease has expired', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE008', 1);
    const { id, ended } = await headEnd.order({ ...registersOf(dcuId, meterIds), source: 'plan' });
    await leaseItems(bench.database.pool, id, 'dead', -1);
    headEnd.dial('TROUBLE008', meters);
    const heir = await bench.headEnd();
    expect((await ended)[0]).toMatchObject({ state: 'read_success' });
    await heir.stop();
  });

  test('items that a crash of the database has reset are executed again', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE010', 1);
    headEnd.dial('TROUBLE010', meters);
    const { id, ended } = await headEnd.order({ ...registersOf(dcuId, meterIds), source: 'plan' });
    expect((await ended)[0]).toMatchObject({ state: 'read_success', attempts: 1 });
    const { pool } = bench.database;
    // The end was acknowledged and not on disk; the lease expires now.
    await leaseItems(pool, id, headEnd.dispatcher.owner, -1);
    await headEnd.dispatcher.runMaintenance();
    await vi.waitFor(async () => {
      const { rows } = await pool.query('select state, attempts from task_item where task_id = $1', [id]);
      expect(rows).toEqual([{ state: 'read_success', attempts: 2 }]);
    });
  });

  // Chaos, seed 14: claims were released in vain while the database was away, and their leases were those of a clock that was ahead.
  test('items whose lease this process has forgotten are executed at the second look, however long it is valid', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE012', 1);
    headEnd.dial('TROUBLE012', meters);
    const { id, ended } = await headEnd.order({ ...registersOf(dcuId, meterIds), source: 'plan' });
    const attempts = (await ended)[0]?.attempts ?? 0;
    const { pool } = bench.database;
    await leaseItems(pool, id, headEnd.dispatcher.owner, HOUR_S);
    const stateOf = async () =>
      (
        await pool.query<{ state: string; again: boolean }>('select state, attempts > $2 as again from task_item where task_id = $1', [
          id,
          attempts,
        ])
      ).rows;
    await headEnd.dispatcher.runMaintenance();
    expect(await stateOf(), 'the response to its claim may be on its way').toEqual([{ state: 'reading', again: false }]);
    await headEnd.dispatcher.runMaintenance();
    await vi.waitFor(async () => expect(await stateOf()).toEqual([{ state: 'read_success', again: true }]), { timeout: 10_000 });
  });

  test('they are executed at once when the connection to the database breaks', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE011', 1);
    headEnd.dial('TROUBLE011', meters);
    const { id, ended } = await headEnd.order({ ...registersOf(dcuId, meterIds), source: 'plan' });
    const attempts = (await ended)[0]?.attempts ?? 0;
    const { pool } = bench.database;
    await leaseItems(pool, id, headEnd.dispatcher.owner, HOUR_S);
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'");
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query('select state, attempts > $2 as again from task_item where task_id = $1', [id, attempts]);
        expect(rows).toEqual([{ state: 'read_success', again: true }]);
      },
      { timeout: 10_000 },
    );
  });

  test('items of a killed head-end are claimed at once although their lease is valid, because its connection has ended', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TROUBLE009', 2);
    const [first = '', second = ''] = meterIds;
    const killed = await headEnd.order({ ...registersOf(dcuId, [first]), source: 'plan' });
    const living = await headEnd.order({ ...registersOf(dcuId, [second]), source: 'plan' });
    await leaseItems(bench.database.pool, killed.id, 'killed', HOUR_S);
    const alive = await bench.database.pool.connect();
    await holdOwnerLock(alive, 'living');
    await leaseItems(bench.database.pool, living.id, 'living', HOUR_S);
    headEnd.dial('TROUBLE009', meters);
    const heir = await bench.headEnd();
    const state = 'select state from task_item where task_id = $1';
    await expect
      .poll(async () => (await bench.database.pool.query(state, [killed.id])).rows, { timeout: 20_000 })
      .toEqual([{ state: 'read_success' }]);
    const held = await bench.database.pool.query('select state from task_item where task_id = $1', [living.id]);
    expect(held.rows).toEqual([{ state: 'reading' }]);
    alive.release(true);
    await heir.stop();
  });
});
