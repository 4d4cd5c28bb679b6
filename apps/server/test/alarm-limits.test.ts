import type { AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { TEMPLATES } from '@hes/contract/alarm/template.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findAlarms } from '../src/features/alarms/find-alarms.ts';
import { findWaitingMessages } from '../src/features/alarms/message-queries.ts';
import { AlarmBench } from './alarm-bench.ts';
import { MailServer, smtpError } from './mail-server.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
let bench: AlarmBench;
let mails: MailServer;
let channel: string;
let duty: string;
beforeAll(async () => {
  bench = await AlarmBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  mails = await new MailServer().listen();
  channel = await bench.addMailChannel(mails.port, { name: 'mail' });
  duty = await bench.addRecipient();
});
afterEach(async () => {
  await bench.clear();
  await mails.close();
});

const stepTo = (afterMinutes = 0, channelId = channel) => ({ afterMinutes, channelId, recipientIds: [duty] });
const eventsOf = async () => (await bench.list()).map(({ events }) => events).toReversed();

const acknowledgeFirst = async () => {
  const [row] = (await bench.list()) as [AlarmRow];
  expect((await bench.call('POST', `/${row.id}/acknowledge`)).statusCode).toBe(204);
};

test('a pass that is not full is the last one, so steps do not wait for the end of a storm', async () => {
  await bench.addRule([stepTo()]);
  await findAlarms(bench.app.ctx);
  await bench.raise('MN0001');
  await bench.app.ctx.pool.query(
    `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, abnormal_level, source, dedup_hash)
      select device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, abnormal_level, source, decode(md5('storm' || n), 'hex')
      from event, generate_series(1, 2000) n where id = (select max(id) from event)`,
  );
  expect(await findAlarms(bench.app.ctx)).toBe(true);
  expect(await findAlarms(bench.app.ctx)).toBe(false);
  expect(await eventsOf()).toEqual([2001]);
});

test('an acknowledged alarm takes no events of other DCUs, and a finished one only while its cause may still spread', async () => {
  await bench.addRule([stepTo(), stepTo(60)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await acknowledgeFirst();
  for (const sn of ['MN0002', 'MS0001', 'MS0002']) {
    bench.advance(MINUTE_MS);
    await bench.raise(sn);
    await engine.runNow();
  }
  expect(await eventsOf()).toEqual([2, 2]);
  expect(mails.received).toHaveLength(2);
  await bench.clear();
  channel = await bench.addMailChannel(mails.port);
  duty = await bench.addRecipient();
  await bench.addRule([stepTo()]);
  const next = await bench.startEngine();
  await bench.raise('MN0001', { code: 6 });
  await next.runNow();
  await bench.raise('MS0001', { code: 6 });
  await next.runNow();
  expect(await eventsOf()).toEqual([2]);
  await bench.raise('MN0001', { code: 7 });
  await next.runNow();
  bench.advance(11 * MINUTE_MS);
  await bench.raise('MS0001', { code: 7 });
  await next.runNow();
  expect(await eventsOf()).toEqual([2, 1, 1]);
});

test('an acknowledged alarm takes no events after a day', async () => {
  await bench.addRule([stepTo()]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await acknowledgeFirst();
  for (let minutes = 0; minutes <= 1440; minutes += 48) {
    bench.advance(48 * MINUTE_MS);
    await bench.raise('MN0001');
    await engine.runNow();
  }
  expect(await bench.list()).toHaveLength(2);
});

test('an event with a time in the future does not make its alarm take events of later days', async () => {
  await bench.addRule([stepTo(), stepTo(60)], { repeatMinutes: 1440 });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await bench.raise('MN0001', { occurAt: bench.clock.now() + 20_000 * DAY_MS });
  await engine.runNow();
  bench.advance(15 * MINUTE_MS);
  await bench.raise('MS0001');
  await engine.runNow();
  expect(await eventsOf()).toEqual([2, 1]);
});

test('messages of one channel hide those of no other, and first messages come before repetitions', async () => {
  const other = await bench.addMailChannel(mails.port, { name: 'other' });
  await bench.addRule([stepTo()], { name: 'storm' });
  await bench.addRule([stepTo(0, other)], { name: 'calm' });
  await bench.startEngine();
  await bench.stop();
  const insert = (rule: string, to: string, { step = 1, level = 'serious', count = 1 }) =>
    bench.app.ctx.pool.query(
      `with opened as (insert into alarm (rule_id, log, code, level, opened_at, last_at)
         select id, 'standard', 1, $3, now(), now() from alarm_rule where name = $1 returning id)
       insert into alarm_message (alarm_id, channel_id, step, recipient_ids, locale, message_id, wait_since, created_at)
         select opened.id, $2, $4, '{}', 'en-US', gen_random_uuid(), now(), now() from opened, generate_series(1, $5::int)`,
      [rule, to, level, step, count],
    );
  await insert('storm', channel, { count: 1000, step: 2 });
  await insert('storm', channel, { level: 'warning' });
  await insert('calm', other, { level: 'warning' });
  const waiting = await findWaitingMessages(bench.app.ctx.db);
  expect(waiting.filter(({ channelId }) => channelId === other)).toHaveLength(1);
  expect(waiting.find(({ channelId }) => channelId === channel)).toMatchObject({ step: 1 });
});

test('a repetition is not stored while a message of its alarm waits for the same channel', async () => {
  await bench.addRule([stepTo()], { repeatMinutes: 30 });
  const engine = await bench.startEngine();
  mails.judge = () => smtpError(451, 'Later');
  await bench.raise('MN0001');
  await engine.runNow();
  for (let k = 0; k < 3; k++) {
    bench.advance(31 * MINUTE_MS);
    await engine.runNow();
  }
  expect((await bench.list())[0]?.messages).toHaveLength(1);
});

test('a message of an alarm that is acknowledged while its channel sends another one is not sent', async () => {
  await bench.addRule([stepTo()], { name: 'first' });
  await bench.addRule([stepTo()], { name: 'second' });
  const engine = await bench.startEngine();
  mails.judge = () =>
    void bench.app.ctx.pool.query(
      "update alarm set acknowledged_at = now(), wait_seconds = null where rule_id = (select id from alarm_rule where name = 'second')",
    );
  await bench.raise('MN0001');
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  expect(new Set((await bench.list()).map(({ messages }) => messages[0]?.state))).toEqual(new Set(['dropped', 'sent']));
});

test('the run of a channel ends at a failure that is not final', async () => {
  for (let k = 0; k < 5; k++) await bench.addRule([stepTo()], { name: `rule ${k}` });
  const engine = await bench.startEngine();
  let calls = 0;
  mails.judge = () => {
    calls++;
    return smtpError(451, 'Later');
  };
  await bench.raise('MN0001');
  await engine.runNow();
  // The bench runs twice.
  expect(calls).toBeLessThanOrEqual(2);
});

test('a step without recipients is refused for a webhook that names them, and so is such a template of a step', async () => {
  const url = 'http://127.0.0.1:9/';
  const sms = await bench.addWebhook(url, { template: TEMPLATES.sms });
  const rule = { name: 'r', kind: 'alarm', sources: ['device'], levels: ['serious'] };
  const withNoRecipient = (channelId: string) => ({ ...rule, steps: [{ afterMinutes: 0, channelId, recipientIds: [] }] });
  expect((await bench.call('POST', '/rule', withNoRecipient(sms))).json()).toMatchObject({ code: 'VALIDATION' });
  const slack = await bench.addWebhook(url);
  expect((await bench.call('POST', '/rule', withNoRecipient(slack))).statusCode).toBe(201);
  const row = (await bench.call('GET', '/channel')).json().items.find(({ id }: { id: string }) => id === slack);
  const change = { name: row.name, kind: 'webhook', version: row.version, template: TEMPLATES.sms };
  expect((await bench.call('PUT', `/channel/${slack}`, change)).json()).toMatchObject({ code: 'VALIDATION' });
});

test('the log of alarms is for users who may see events', async () => {
  await bench.app.ctx.pool.query("insert into role (code, name, sees_whole_network) values ('NO_EVENTS', 'NO_EVENTS', true)");
  for (const [table, columns] of [
    ['role_module', 'module_id'],
    ['role_action', 'module_id, action'],
  ])
    await bench.app.ctx.pool.query(
      `insert into ${table} (role_id, ${columns}) select (select id from role where code = 'NO_EVENTS'), ${columns} from ${table}
        where role_id = (select id from role where code = 'ADMIN') and module_id <> (select id from module where path = $1)`,
      [PAGE_PATH.events],
    );
  const user = await bench.app.addUser({ roles: ['NO_EVENTS'] });
  expect((await bench.call('GET', '/rule', undefined, user)).statusCode).toBe(200);
  expect((await bench.call('GET', '', undefined, user)).json()).toMatchObject({ code: 'FORBIDDEN' });
});
