import { randomUUID } from 'node:crypto';
import { STILL_FLOWS_W } from '@hes/contract/action/relay-rules.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Epoch } from '#nodes/epoch.ts';
import { SwitchLedger, type Switches } from '#platform/switch-ledger.ts';
import { checkChain } from '#db/check-chain.ts';
import { hashPassword } from '#platform/passwords.ts';
import type { Dispatcher } from '#tasks/dispatcher.ts';
import { expireItems, failOffline } from '#tasks/queries.ts';
import { createTask } from '#tasks/create-task.ts';
import { leaseItems } from '../../../test/leased.ts';
import { sealAll, type TestApp, type TestUser } from '../../../test/test-app.ts';
import { appBench, type AppBench } from '../../../test/field/app-bench.ts';
import { BUILT_IN_LIMITS, insertLimits } from './limit-queries.ts';
import { findCommand, reserveSwitch } from './store.ts';

const PASSWORD = 'Quiet-Lantern-8';
const CEILING = BUILT_IN_LIMITS;

let bench: AppBench;
let app: TestApp;
let dispatcher: Dispatcher;
let simulation: Simulation;
let admin: TestUser;
let second: TestUser;
let operator: TestUser;

async function person(roles: string[]): Promise<TestUser> {
  const user = await app.addUser({ roles });
  await app.ctx.pool.query('update app_user set password_hash = $2 where id = $1', [user.id, await hashPassword(PASSWORD)]);
  await sealAll(app.ctx);
  return user;
}

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 400 }, switches });
  ({ app, simulation, dispatcher } = bench);
  [admin, second, operator] = [await person(['ADMIN']), await person(['ADMIN']), await person(['OPERATOR'])];
}, 60_000);
afterAll(() => bench.close());

const HOUR_AND_MORE_MS = 61 * 60_000;
const ledger = new SwitchLedger(undefined, Date.now());
let laterMs = 0;
/** The ledger, shifted by the hours that `anHourLater` simulates. */
const switches: Switches = {
  has: (nonce) => ledger.has(nonce),
  since: (at, isCounted) => ledger.since(at + laterMs, isCounted),
  append: (entry) => ledger.append({ ...entry, at: entry.at + laterMs }),
};

/** Moves the time of the limits forward by an hour; the ledger itself is append-only. */
async function anHourLater(): Promise<void> {
  laterMs += HOUR_AND_MORE_MS;
  const { owner } = app;
  await owner.query('alter table relay_sent disable trigger all');
  await owner.query("update relay_sent set at = at - interval '61 minutes'");
  await owner.query('alter table relay_sent enable trigger all');
  await owner.query("update relay_command set created_at = created_at - interval '61 minutes'");
}

const limit = (limits = CEILING) => insertLimits(app.ctx.db, app.ctx.secrets, limits, { changedBy: null });

beforeEach(async () => {
  await anHourLater();
  await limit();
});

const get = async (url: string, user = admin) => (await app.call(user, { method: 'GET', url: `/api${url}` })).json();
const send = (method: 'POST' | 'PUT', url: string, payload: object, user = admin) => app.call(user, { method, url: `/api${url}`, payload });

interface Found {
  id: string;
  sn: string;
  dcuId: string;
}

/** Responding meters of a control mode; each test gets different ones. */
const taken = new Set<string>();
async function meters(count: number, mode = 'mode4'): Promise<Found[]> {
  const good = new Set(
    simulation.world.plan.meters.filter((meter) => !meter.isSilent && !meter.hasWrongKey && meter.kind !== 'master').map(({ sn }) => sn),
  );
  return vi.waitFor(
    async () => {
      const { rows } = await app.ctx.pool.query<Found>(
        `select m.id, m.sn, m.dcu_id as "dcuId" from meter m join dcu d on d.id = m.dcu_id where d.online_status = 'online' and not m.is_master order by m.sn`,
      );
      const found = rows.filter((row) => good.has(row.sn) && !taken.has(row.sn) && relayOf(row.sn).mode === mode).slice(0, count);
      if (found.length < count) throw new Error('Not online yet');
      for (const { sn } of found) taken.add(sn);
      return found;
    },
    { timeout: 20_000 },
  );
}

function relayOf(sn: string) {
  const meter = simulation.dcus.map((dcu) => dcu.meter(sn)).find((one) => one !== undefined);
  return meter?.relay ?? { state: 'absent', mode: 'absent', orders: 0 };
}

const order = (meterIds: string[], operation = 'disconnect', more: object = {}, user = admin) =>
  send('POST', '/action/relay', { requestId: randomUUID(), meterIds, operation, reason: 'Unpaid', workOrder: 'WO-1', ...more }, user);

async function ended(taskId: string) {
  await vi.waitFor(
    async () => {
      if ((await get(`/task/${taskId}`)).finishedAt === null) throw new Error('Still running');
    },
    { timeout: 20_000 },
  );
  return (await get(`/task/${taskId}/items`)).items;
}

async function done(answer: { statusCode: number; body: string; json(): { taskId: string } }) {
  expect(answer.statusCode, answer.body).toBe(202);
  return ended(answer.json().taskId);
}

const approve = async (taskId: string, user = second) => {
  const waiting = (await get('/action/approval?state=pending')).items.find((row: { taskId: string }) => row.taskId === taskId);
  return send('PUT', `/action/approval/${waiting.id}`, { decision: 'approve' }, user);
};
const audited = async (action: string) => (await app.ctx.pool.query('select * from audit_log where action = $1', [action])).rows;

describe('a relay', () => {
  it('S-022: is read, disconnected and connected, and proves each by contact, state and power', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const [read] = await done(await send('POST', '/action/relay/read', { meterIds: [id] }));
    expect(read.result.relay).toMatchObject({ output: true, state: 'connected', mode: 4, wasSent: false });

    const [cut] = await done(await order([id]));
    expect(cut.result.relay).toMatchObject({ output: false, state: 'disconnected', powerAfterW: 0, wasSent: true });
    expect(relayOf(sn)).toMatchObject({ state: 'disconnected', orders: 1 });
    expect((await get(`/action/relay?search=${sn}`)).items[0]).toMatchObject({
      relayState: 'disconnected',
      output: false,
      switchedByName: expect.any(String),
      command: { operation: 'disconnect', state: 'done' },
    });

    const [back] = await done(await order([id], 'connect'));
    expect(back.result.relay).toMatchObject({ output: true, state: 'connected', wasSent: true });
    const log = await get(`/action/relay/log?meterId=${id}`);
    expect(log.items).toMatchObject([
      { operation: 'connect', state: 'done', workOrder: 'WO-1' },
      { operation: 'disconnect', state: 'done', powerAfterW: 0, sentAt: expect.any(String) },
    ]);
    expect(await checkChain(app.ctx.db, 'commands', { limit: 10_000 })).toMatchObject({ brokenId: null, isEnd: true });
  });

  it('whose contacts have welded has not switched although it reports so: power still flows', async () => {
    const some = await meters(4);
    const read = await done(await send('POST', '/action/relay/read', { meterIds: some.map(({ id }) => id) }));
    const item = read.toSorted(
      (a: { result: { relay: { powerAfterW: number } } }, b: { result: { relay: { powerAfterW: number } } }) =>
        b.result.relay.powerAfterW - a.result.relay.powerAfterW,
    )[0];
    expect(item.result.relay.powerAfterW).toBeGreaterThan(STILL_FLOWS_W);
    const { id, sn } = some.find((one) => one.id === item.meterId) ?? { id: '', sn: '' };
    Object.assign(relayOf(sn), { isWelded: true });
    const [cut] = await done(await order([id]));
    expect(cut).toMatchObject({ state: 'read_fail', reasonCode: 'RELAY_NOT_SWITCHED' });
    expect((await get(`/action/relay/log?meterId=${id}`)).items[0]).toMatchObject({ state: 'failed' });
    expect(relayOf(sn)).toMatchObject({ state: 'disconnected', orders: 1 });
  });

  it('is not switched again when its executed command is put back into the queue past the head-end', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const answer = await order([id]);
    await done(answer);
    await done(await order([id], 'connect', { password: '' }));
    const { taskId } = answer.json();
    // Simulates an attacker who owns the database: removes mark and result, and queues the item again.
    await app.owner.query(
      `alter table relay_sent disable trigger all;
       delete from relay_sent where command_id in (select id from relay_command where task_id = ${taskId});
       alter table relay_sent enable trigger all;
       update relay_command set state = 'waiting', reason_code = null, ended_at = null where task_id = ${taskId};
       update task_item set state = 'waiting', attempts = 0, finished_at = null, not_before = now() where task_id = ${taskId};
       update task set state = 'waiting', finished_at = null, started_at = null, done = 0, ok = 0 where id = ${taskId};
       notify hes_task`,
    );
    const [again] = await ended(taskId);
    expect(again).toMatchObject({ state: 'read_fail', reasonCode: 'RELAY_NOT_SWITCHED' });
    expect(relayOf(sn)).toMatchObject({ state: 'connected', orders: 2 });
  });

  it('whose result could not be stored after the command was sent is unknown, and is proved by the next reading', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    await app.owner.query(
      `alter table meter add constraint refused check (id <> ${id} or relay_state is distinct from 'disconnected') not valid`,
    );
    const answer = await order([id]);
    await vi.waitFor(async () => {
      const [item] = (await get(`/task/${answer.json().taskId}/items`)).items;
      expect(item).toMatchObject({ state: 'waiting', reasonCode: 'RELAY_UNKNOWN' });
    }, 20_000);
    await app.owner.query('alter table meter drop constraint refused');
    const [item] = await ended(answer.json().taskId);
    expect(item.result.relay).toMatchObject({ state: 'disconnected', wasSent: true });
    expect(relayOf(sn)).toMatchObject({ state: 'disconnected', orders: 1 });
  });

  it('that is so already is left alone', async () => {
    const [one] = await meters(1);
    const [item] = await done(await order([one?.id ?? ''], 'connect'));
    expect(item.result.relay).toMatchObject({ wasSent: false });
    expect(relayOf(one?.sn ?? '').orders).toBe(0);
  });

  it('whose mode only arms is armed and not connected', async () => {
    const [one] = await meters(1, 'mode3');
    const { id, sn } = one ?? { id: '', sn: '' };
    const [refused] = await done(await order([id], 'connect'));
    expect(refused).toMatchObject({ state: 'read_fail', reasonCode: 'RELAY_MODE' });
    await done(await order([id]));
    // The HES has stored the mode, so it rejects the order.
    expect((await order([id], 'connect')).json().code).toBe('NOTHING_TO_DO');
    const [armed] = await done(await order([id], 'arm'));
    expect(armed.result.relay).toMatchObject({ output: false, state: 'ready', mode: 3 });
    expect(relayOf(sn).orders).toBe(2);
  });

  it('of mode 0 is not ordered to do what it would ignore', async () => {
    const [one] = await meters(1, 'none');
    const [item] = await done(await order([one?.id ?? '']));
    expect(item.reasonCode).toBe('RELAY_MODE');
    expect(relayOf(one?.sn ?? '').orders).toBe(0);
  });
});

describe('an order', () => {
  it('needs a reason and a work order', async () => {
    const [one] = await meters(1);
    const ids = [one?.id ?? ''];
    expect((await order(ids, 'disconnect', { workOrder: ' ' })).statusCode).toBe(400);
    expect((await order(ids, 'disconnect', { reason: '' })).statusCode).toBe(400);
  });

  it('says before it is given whom it reaches', async () => {
    const chosen = await meters(11);
    const preview = (await send('POST', '/action/relay/preview', { meterIds: chosen.map(({ id }) => id), operation: 'disconnect' })).json();
    expect(preview).toMatchObject({ meters: 11, customers: 11, requiresApproval: true, protected: 0, excluded: [] });
    expect(preview.kw).toBeGreaterThan(0);
    for (const { sn } of chosen) taken.delete(sn);
  });

  it('that arrives twice is one order', async () => {
    const [one] = await meters(1);
    const requestId = randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => order([one?.id ?? ''], 'disconnect', { requestId })));
    expect(new Set(answers.map((answer) => answer.json().taskId)).size).toBe(1);
    await ended(answers[0]?.json().taskId);
    expect(relayOf(one?.sn ?? '').orders).toBe(1);
  });

  it('for a protected supply waits for approval, also for a day after the protection was removed', async () => {
    const [one] = await meters(1);
    const ids = [one?.id ?? ''];
    const protect = (isProtected: boolean) => send('PUT', '/action/relay/protection', { meterIds: ids, isProtected, reason: 'Dialysis' });
    expect((await protect(true)).json()).toEqual({ changed: 1 });
    await protect(false);
    const { taskId, requiresApproval } = (await order(ids)).json();
    expect(requiresApproval).toBe(true);
    expect((await approve(taskId, admin)).json().code).toBe('SAME_USER');
    expect((await approve(taskId, operator)).json().code).toBe('FORBIDDEN');
    expect(relayOf(one?.sn ?? '').orders).toBe(0);
    expect((await approve(taskId)).json()).toMatchObject({ state: 'approved' });
    expect((await ended(taskId))[0]).toMatchObject({ state: 'read_success' });
    expect(
      (await send('PUT', `/action/approval/${(await get('/action/approval')).items[0].id}`, { decision: 'reject' }, second)).json().code,
    ).toBe('NOTHING_TO_DO');
  });

  it('that is rejected, or not approved within the hour, is over, and queueing it again changes nothing', async () => {
    const [one, two] = await meters(2);
    const ids = [one?.id ?? '', two?.id ?? ''];
    await send('PUT', '/action/relay/protection', { meterIds: ids, isProtected: true, reason: 'x' });
    const rejected = (await order([ids[0] ?? ''])).json().taskId;
    const [row] = (await get('/action/approval?state=pending')).items;
    expect((await send('PUT', `/action/approval/${row.id}`, { decision: 'reject', comment: 'Wrong house' }, second)).json().state).toBe(
      'rejected',
    );
    expect((await get(`/task/${rejected}`)).state).toBe('cancelled');

    const late = (await order([ids[1] ?? ''])).json().taskId;
    await app.ctx.pool.query("update approval set expires_at = now() - interval '1 second' where task_id = $1", [late]);
    expect((await get('/action/approval')).items[0].state).toBe('expired');
    const id = (await get('/action/approval')).items[0].id;
    expect((await send('PUT', `/action/approval/${id}`, { decision: 'approve' }, second)).json().code).toBe('NOTHING_TO_DO');
    await app.ctx.pool.query('update task_item set not_before = now() where task_id = $1', [late]);
    dispatcher.wake();
    const [item] = await ended(late);
    expect(item.reasonCode).toBe('RELAY_NOT_APPROVED');
    expect(relayOf(two?.sn ?? '').orders).toBe(0);
  });
});

describe('the command log', () => {
  it('names meter, customer and DCU as they were when the command was ordered, despite later changes', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const { pool } = app.ctx;
    await pool.query("update meter set customer_no = 'C260005', customer_name = 'Mill Lane Bakery' where id = $1", [id]);
    await pool.query(
      'insert into meter_latest (meter_id, p_avg_plus_w) values ($1, 95) on conflict (meter_id) do update set p_avg_plus_w = excluded.p_avg_plus_w',
      [id],
    );
    await done(await order([id]));
    await pool.query("update meter set customer_no = 'C999999', customer_name = 'Another Customer' where id = $1", [id]);
    const { items } = await get(`/action/relay/log?meterId=${id}`);
    const dcu = await pool.query<{ sn: string }>('select d.sn from meter m join dcu d on d.id = m.dcu_id where m.id = $1', [id]);
    expect(items[0]).toMatchObject({ sn, customerNo: 'C260005', customerName: 'Mill Lane Bakery', dcuSn: dcu.rows[0]?.sn, state: 'done' });
    const entry = (await audited('relay_ordered')).find((row) => row.entity_id === items[0].taskId);
    expect(entry.detail.kw).toBe(0.095);
    const number = `#${items[0].taskId}`;
    expect(Object.values(entry.detail.names.task)).toEqual([
      { en: `Disconnection ${number}`, zh: `拉闸 ${number}`, es: `Desconexión ${number}` },
    ]);
  });
});

describe('at most once', () => {
  /** Orders a disconnection that the meter carries out, but the meter neither confirms it nor responds afterwards. */
  async function orderWithoutAnswer({ id, sn }: { id: string; sn: string }) {
    simulation.faults.add({ target: sn, kind: 'lost_switch', count: 1 });
    const answer = await order([id]);
    await vi.waitFor(() => expect(relayOf(sn).orders).toBe(1), { timeout: 5000, interval: 5 });
    simulation.faults.add({ target: sn, kind: 'silence' });
    return answer;
  }

  it('the answer is lost: the relay is read, and the command is not sent again', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    simulation.faults.add({ target: sn, kind: 'lost_switch', count: 1 });
    const [item] = await done(await order([id]));
    expect(item).toMatchObject({ state: 'read_success', result: { relay: { state: 'disconnected', wasSent: true } } });
    expect(relayOf(sn).orders).toBe(1);
  });

  it('another command follows before the relay is read: the result stays unknown', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const answer = await orderWithoutAnswer({ id, sn });
    await done(answer);
    simulation.faults.clear(sn);
    await done(await order([id], 'connect'));
    await done(await send('POST', '/action/relay/read', { meterIds: [id] }));
    const { items } = await get(`/action/relay/log?meterId=${id}`);
    expect(items.map(({ operation, state }: { operation: string; state: string }) => [operation, state])).toEqual([
      ['connect', 'done'],
      ['disconnect', 'unknown'],
    ]);
  });

  it('the meter does not respond: the result is unknown until the relay is read', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const answer = await orderWithoutAnswer({ id, sn });
    const [item] = await done(answer);
    expect(item).toMatchObject({ state: 'read_fail', reasonCode: 'RELAY_UNKNOWN' });
    const { taskId } = answer.json();
    expect(await get(`/task/${taskId}`)).toMatchObject({ state: 'failed', failed: 1, unknown: 1 });
    expect((await get(`/task/${taskId}/by-dcu`)).items[0].cells[0].state).toBe('unknown');
    expect((await get('/task?mine=true')).items.find((row: { id: string }) => row.id === taskId).unknown).toBe(1);
    expect((await get(`/action/relay/log?meterId=${id}`)).items[0].state).toBe('unknown');
    simulation.faults.clear(sn);
    await done(await send('POST', '/action/relay/read', { meterIds: [id] }));
    expect((await get(`/action/relay/log?meterId=${id}`)).items[0].state).toBe('done');
    expect(await get(`/task/${taskId}`)).toMatchObject({ state: 'finished', ok: 1, failed: 0, unknown: 0 });
    expect((await get(`/task/${taskId}/items`)).items[0]).toMatchObject({
      state: 'read_success',
      reasonCode: null,
      result: { relay: { state: 'disconnected', wasSent: true } },
    });
    expect(relayOf(sn).orders).toBe(1);
  });

  it('two workers begin the same command: it is marked as sent once, and the second one does not send it', async () => {
    const [one] = await meters(1);
    const { id } = one ?? { id: '' };
    const { taskId } = (await order([id])).json();
    await ended(taskId);
    const command = await findCommand(app.ctx.pool, taskId, id);
    if (command === undefined) throw new Error('No command');
    // The second worker runs in another process, whose ledger lacks the command.
    const switches = { has: () => false, since: () => ({ meters: 0, powerW: 0 }), append: () => undefined };
    const { rows } = await app.ctx.pool.query('select last_session_id as epoch from endpoint where id = $1', [one?.dcuId]);
    const holder = { dcuId: one?.dcuId ?? '', epoch: rows[0].epoch };
    expect(await reserveSwitch(app.ctx, command, { powerW: 1, hour: 12, switches, holder })).toBe('sent_before');
    // A node that has lost the connection does not even look whether the command was sent.
    const lost = { ...holder, epoch: String(Number(holder.epoch) + 1000) as Epoch }; // as: an epoch that was never given
    expect(await reserveSwitch(app.ctx, command, { powerW: 1, hour: 12, switches, holder: lost })).toBe('moved');
    expect((await get(`/action/relay/log?meterId=${id}`)).items[0].state).toBe('done');
  });

  it('the server dies between sent and confirmed: the next worker reads the relay and sends nothing', async () => {
    const [one] = await meters(1);
    const { id, sn, dcuId } = one ?? { id: '', sn: '', dcuId: '' };
    const { taskId } = (await order([id])).json();
    await ended(taskId);
    // The stored state after a crash: marked as sent, without a result.
    await app.ctx.pool.query("update relay_command set state = 'sent', ended_at = null where task_id = $1", [taskId]);
    await app.ctx.pool.query("update task set state = 'running', done = 0, ok = 0, finished_at = null where id = $1", [taskId]);
    await leaseItems(app.ctx.pool, taskId, 'dead', -1);
    expect(dcuId).not.toBe('');
    const [item] = await ended(taskId);
    expect(item.state).toBe('read_success');
    expect(relayOf(sn).orders).toBe(1);
    expect((await get(`/action/relay/log?meterId=${id}`)).items[0].state).toBe('done');
  });
});

it('a switch that was begun is not given up because its DCU is away: it may be done, and the relay will say so', async () => {
  const [one] = await meters(1);
  const { taskId } = (await order([one?.id ?? ''])).json();
  await ended(taskId);
  const { pool } = app.ctx;
  const { rows } = await pool.query<{ id: string }>("select id from dcu where online_status <> 'online' limit 1");
  const away = rows[0]?.id ?? '';
  const begun = (attempts: number) =>
    pool.query("update task_item set state = 'waiting', dcu_id = $2, attempts = $3, finished_at = null where task_id = $1", [
      taskId,
      away,
      attempts,
    ]);
  await begun(1);
  expect(await failOffline(pool, away, 0)).toEqual([]);
  await begun(0);
  expect(await failOffline(pool, away, 0)).toHaveLength(1);
});

it('a command that was sent does not expire with its task: its outcome is unknown', async () => {
  const [sentTo, other] = await meters(2);
  const { pool } = app.ctx;
  const { taskId: sent } = (await order([sentTo?.id ?? ''])).json();
  await ended(sent);
  const { rows: dcus } = await pool.query<{ id: string }>("select id from dcu where online_status <> 'online' limit 1");
  const away = dcus[0]?.id ?? '';
  await pool.query("update task_item set state = 'waiting', attempts = 1, dcu_id = $2, finished_at = null where task_id = $1", [
    sent,
    away,
  ]);
  const items = [{ deviceKind: 'meter' as const, dcuId: away, meterId: other?.id ?? '' }];
  const plan = { kind: 'relay_disconnect', source: 'plan', title: 'x', params: {}, priority: 1, createdBy: admin.id } as const;
  const { id: notSent } = await createTask(app.ctx.db, { ...plan, items });
  const both = [sent, notSent];
  await pool.query("update task set expires_at = now() - interval '1 second', finished_at = null, done = 0, ok = 0 where id = any($1)", [
    both,
  ]);
  await expireItems(pool);
  const { rows } = await pool.query('select state, reason_code as reason from task_item where task_id = any($1) order by task_id', [both]);
  expect(rows).toEqual([
    { state: 'read_fail', reason: 'RELAY_UNKNOWN' },
    { state: 'expired', reason: 'DCU_OFFLINE' },
  ]);
});

async function insertForgedWord(id: string, by: string) {
  const { owner } = app;
  await owner.query("insert into relay_limit_word (limit_id, given_by, seal) values ($1, $2, '\\x00')", [id, by]);
  return {
    async takeBack(): Promise<void> {
      await owner.query('alter table relay_limit_word disable trigger all');
      await owner.query('delete from relay_limit_word where limit_id = $1', [id]);
      await owner.query('alter table relay_limit_word enable trigger all');
    },
  };
}

describe('the limit of an hour', () => {
  const low = { ...CEILING, maxMetersPerHour: 3 };
  const switched = (all: Found[]) => all.filter(({ sn }) => relayOf(sn).orders > 0).length;

  it('holds against one person with many orders, who also needs a second one from the eleventh supply on', async () => {
    await limit(low);
    const chosen = await meters(5);
    const items = (await Promise.all(chosen.map(async ({ id }) => done(await order([id], 'disconnect', {}, operator))))).flat();
    expect(switched(chosen)).toBe(3);
    expect(items.filter((item) => item.reasonCode === 'RELAY_CEILING')).toHaveLength(2);
    expect((await audited('relay_blocked')).length).toBeGreaterThanOrEqual(2);
    const alarm = await get('/event?codes=dcu:60001');
    expect(alarm.items[0]).toMatchObject({ abnormalLevel: 'serious', nameEn: 'Limit Of Relay Control Reached' });
    expect(Date.now() - Date.parse(alarm.items[0].occurAt)).toBeLessThan(10_000);

    await limit({ ...CEILING, soloLimitPerHour: 6 });
    const preview = await send(
      'POST',
      '/action/relay/preview',
      { meterIds: chosen.slice(0, 2).map(({ id }) => id), operation: 'connect' },
      operator,
    );
    expect(preview.json().requiresApproval).toBe(true);
  });

  it('holds against two people who approve each other', async () => {
    await limit({ ...low, soloLimitPerHour: 0 });
    const chosen = await meters(5);
    const { taskId } = (await order(chosen.map(({ id }) => id))).json();
    expect((await approve(taskId)).statusCode).toBe(200);
    await ended(taskId);
    expect(switched(chosen)).toBe(3);
  });

  it('of a day applies as well', async () => {
    const [one] = await meters(1);
    await limit({ ...CEILING, maxMetersPerDay: 0 });
    const [item] = await done(await order([one?.id ?? '']));
    expect(item.reasonCode).toBe('RELAY_DAY_CEILING');
    expect(await get('/action/relay/limits')).toMatchObject({ maxMetersPerDay: 0, usedMetersLastDay: expect.any(Number) });
  });

  it('disconnects at night with approval only, even an order of the day', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    await limit({ ...CEILING, spreadS: 3600 });
    const { taskId, requiresApproval } = (await order([id])).json();
    expect(requiresApproval).toBe(false);
    await limit({ ...CEILING, soloFromHour: 0, soloToHour: 0 });
    await app.ctx.pool.query('update task_item set not_before = now() where task_id = $1', [taskId]);
    dispatcher.wake();
    const [late] = await ended(taskId);
    expect(late.reasonCode).toBe('RELAY_HOURS');
    expect((await order([id])).json()).toMatchObject({ requiresApproval: true });
    expect((await send('POST', '/action/relay/preview', { meterIds: [id], operation: 'connect' })).json().requiresApproval).toBe(false);
    expect(relayOf(sn).orders).toBe(0);
  });

  it('is loosened by two administrators only: the requester cannot approve, and without approval it never applies', async () => {
    await limit({ ...CEILING, maxMetersPerHour: 3 });
    await insertLimits(app.ctx.db, app.ctx.secrets, CEILING, { needsSecond: true, changedBy: admin.id });
    const { pendingLimits, maxMetersPerHour } = await get('/action/relay/limits');
    expect(maxMetersPerHour).toBe(3);
    expect(pendingLimits).toMatchObject({ maxMetersPerHour: 50, changedBy: admin.id, isApproved: false });
    const agree = (user: TestUser) => send('POST', '/action/relay/limits/approval', { id: pendingLimits.id }, user);
    expect((await agree(admin)).json().code).toBe('SAME_USER');
    expect((await agree(operator)).json().code).toBe('FORBIDDEN');
    // A forged approval has no effect.
    const forged = await insertForgedWord(pendingLimits.id, second.id);
    expect((await get('/action/relay/limits')).maxMetersPerHour).toBe(3);
    await forged.takeBack();
    expect((await agree(second)).json()).toMatchObject({ maxMetersPerHour: 50, pendingLimits: null });
    expect(await audited('relay_limits_confirmed')).toHaveLength(1);
    expect((await agree(second)).json().code).toBe('NOTHING_TO_DO');
  });

  it('holds against an administrator who raises it: the raise comes into force a day later', async () => {
    await limit(low);
    const raised = (await send('PUT', '/action/relay/limits', { ...CEILING, maxMetersPerHour: 10_000 })).json();
    expect(raised).toMatchObject({ maxMetersPerHour: 3, pendingLimits: { maxMetersPerHour: 10_000, isApproved: false } });
    const agreed = (await send('POST', '/action/relay/limits/approval', { id: raised.pendingLimits.id }, second)).json();
    expect(agreed).toMatchObject({ maxMetersPerHour: 3, pendingLimits: { isApproved: true } });
    expect(Date.parse(agreed.pendingLimits.effectiveAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const chosen = await meters(5);
    await done(await order(chosen.map(({ id }) => id)));
    expect(switched(chosen)).toBe(3);
    expect((await send('PUT', '/action/relay/limits', { ...CEILING, maxMetersPerHour: 2 })).json()).toMatchObject({
      maxMetersPerHour: 2,
      pendingLimits: null,
    });
    const up = { ...CEILING, maxMetersPerHour: 3 };
    expect((await send('PUT', '/action/relay/limits', up, operator)).json().code).toBe('FORBIDDEN');
  });

  it('counts kilowatts as it counts meters, and never keeps a supply from being reconnected', async () => {
    const chosen = await meters(2);
    await limit({ ...CEILING, maxKwPerHour: 0 });
    const [item] = await done(await order([chosen[0]?.id ?? '']));
    expect(item.reasonCode).toBe('RELAY_CEILING');
    await limit({ ...CEILING, maxMetersPerHour: 1 });
    await done(await order([chosen[1]?.id ?? '']));
    const [back] = await done(await order([chosen[1]?.id ?? ''], 'connect'));
    expect(back.result.relay).toMatchObject({ state: 'connected', wasSent: true });
  });

  it('set to zero by one user prevents no reconnection, and is undone at once by two users', async () => {
    const [one] = await meters(1);
    await limit(CEILING);
    await done(await order([one?.id ?? '']));
    const zero = { ...CEILING, maxMetersPerHour: 0, maxMetersPerDay: 0, maxKwPerHour: 0 };
    expect((await send('PUT', '/action/relay/limits', zero)).json()).toMatchObject({ maxMetersPerHour: 0, pendingLimits: null });
    const [back] = await done(await order([one?.id ?? ''], 'connect'));
    expect(back.result.relay).toMatchObject({ state: 'connected', wasSent: true });

    const asked = (await send('PUT', '/action/relay/limits', CEILING)).json();
    expect(asked).toMatchObject({ maxMetersPerHour: 0, pendingLimits: { isApproved: false } });
    const agreed = (await send('POST', '/action/relay/limits/approval', { id: asked.pendingLimits.id }, second)).json();
    expect(agreed).toMatchObject({ maxMetersPerHour: CEILING.maxMetersPerHour, pendingLimits: null });
  });

  it('cannot be reached past: rows put straight into the queue switch nothing, and call for help', async () => {
    const chosen = await meters(3);
    const items = chosen.map(({ id, dcuId }) => ({ deviceKind: 'meter' as const, dcuId, meterId: id }));
    const order = {
      kind: 'relay_disconnect' as const,
      source: 'user' as const,
      title: 'x',
      params: {},
      priority: 1,
      createdBy: admin.id,
      items,
    };
    const forged = await createTask(app.ctx.db, order);
    for (const item of await ended(forged.id)) expect(item.reasonCode).toBe('RELAY_NOT_ORDERED');

    // Commands with a forged seal: the database alone cannot create a valid one.
    const again = await createTask(app.ctx.db, { ...order, items: [] });
    for (const { id } of chosen)
      await app.ctx.pool.query(
        `insert into relay_command (task_id, meter_id, operation, requested_by, needs_approval, seal) values ($1, $2, 'disconnect', $3, false, '\\x00')`,
        [again.id, id, admin.id],
      );
    await app.ctx.pool.query(
      `insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id) select $1, 'relay_disconnect', 1, 'meter', dcu_id, id from meter where id = any($2)`,
      [again.id, chosen.map(({ id }) => id)],
    );
    await app.ctx.pool.query('update task set total = 3 where id = $1', [again.id]);
    dispatcher.wake();
    for (const item of await ended(again.id)) expect(item.reasonCode).toBe('RELAY_NOT_ORDERED');
    expect(switched(chosen)).toBe(0);
    expect((await get('/event?codes=dcu:60002')).items.length).toBeGreaterThan(0);
  });

  it('an order that is put into the queue a second time is executed once', async () => {
    const [one] = await meters(1);
    const { id, sn } = one ?? { id: '', sn: '' };
    const { taskId } = (await order([id])).json();
    await ended(taskId);
    await done(await order([id], 'connect'));
    await app.ctx.pool.query(
      `insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id) select $1, 'relay_disconnect', 1, 'meter', dcu_id, id from meter where id = $2`,
      [taskId, id],
    );
    dispatcher.wake();
    await vi.waitFor(
      async () => {
        const items = (await get(`/task/${taskId}/items`)).items;
        expect(items.map((item: { reasonCode: string | null }) => item.reasonCode)).toContain('RELAY_UNKNOWN');
      },
      { timeout: 10_000 },
    );
    expect(relayOf(sn)).toMatchObject({ state: 'connected', orders: 2 });
  });

  it('stops all switching within a moment, and lets it go on when another person with that right says so', async () => {
    const [one] = await meters(1);
    const { taskId } = (await order([one?.id ?? ''], 'disconnect', {}, operator)).json();
    await ended(taskId);
    const stopped = (await send('POST', '/action/relay/stop', { reason: 'Strange orders' }, operator)).json();
    expect(stopped.stop).toMatchObject({ reason: 'Strange orders' });
    expect((await order([one?.id ?? ''], 'connect')).json().code).toBe('RELAY_STOPPED');
    expect((await send('POST', '/action/relay/release', { reason: 'Cleared' }, operator)).json().code).toBe('FORBIDDEN');
    expect((await send('POST', '/action/relay/release', { reason: 'Cleared' })).json().stop).toBeNull();

    await send('POST', '/action/relay/stop', { reason: 'Strange orders' });
    expect((await send('POST', '/action/relay/release', { reason: 'Cleared' })).json().code).toBe('SAME_USER');
    expect((await send('POST', '/action/relay/release', { reason: 'Cleared' }, second)).json().stop).toBeNull();
  });
});
