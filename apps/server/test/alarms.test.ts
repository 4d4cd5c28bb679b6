import type { AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { storeOwnEvent } from '../src/storage/events/own-event.ts';
import { AlarmBench } from './alarm-bench.ts';
import { MailServer, smtpError } from './mail-server.ts';

const MINUTE_MS = 60_000;
let bench: AlarmBench;
let mails: MailServer;
let channel: string;
let duty: string;
let boss: string;
beforeAll(async () => {
  bench = await AlarmBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  mails = await new MailServer().listen();
  channel = await bench.addMailChannel(mails.port, { name: 'mail' });
  duty = await bench.addRecipient();
  boss = await bench.addRecipient({ name: 'Boss', email: 'boss@example.com' });
});
afterEach(async () => {
  await bench.clear();
  await mails.close();
});

const stepTo = (recipientId: string, afterMinutes = 0, channelId = channel) => ({ afterMinutes, channelId, recipientIds: [recipientId] });
const subjects = () => mails.received.map(({ subject }) => subject);

test('events of one cause are one message, whose counts go on', async () => {
  // The engine runs every second. Without this delay it could send the message after the first of the four events.
  await bench.addRule([stepTo(duty)], { gatherSeconds: 60 });
  const engine = await bench.startEngine();
  for (const sn of ['MN0001', 'MN0002', 'MS0001', 'MS0002']) await bench.raise(sn);
  await engine.runNow();
  bench.advance(MINUTE_MS + 1000);
  await engine.runNow();
  expect(subjects()).toEqual(['Warning: Power Down, 4 meters, 2 DCUs']);
  bench.advance(30 * MINUTE_MS);
  for (let k = 0; k < 20; k++) await bench.raise('MN0001', { occurAt: bench.clock.now() - k });
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  expect(await bench.list()).toMatchObject([{ events: 24, meters: 4, dcus: 2, state: 'sent', log: 'standard', code: 1, nextStepAt: null }]);
});

test('another place is another alarm, and a calm alarm is closed', async () => {
  await bench.addRule([stepTo(duty)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  bench.advance(15 * MINUTE_MS);
  await bench.raise('MS0001');
  await engine.runNow();
  expect(subjects()).toEqual(['Warning: Power Down, 1 meter, 1 DCU', 'Warning: Power Down, 1 meter, 1 DCU']);
  bench.advance(61 * MINUTE_MS);
  await engine.runNow();
  expect((await bench.list()).map(({ state }) => state)).toEqual(['closed', 'closed']);
  await bench.raise('MN0001');
  await engine.runNow();
  expect(mails.received).toHaveLength(3);
});

test('a rule selects by level, code, area, source and time of day; old, muted and recovering events start nothing', async () => {
  const day = { activeFrom: '00:00', activeTo: '00:00' };
  await bench.addRule([stepTo(duty)], { name: 'serious', levels: ['serious'], ...day });
  await bench.addRule([stepTo(duty)], { name: 'code', codes: ['standard:8'] });
  await bench.addRule([stepTo(duty)], { name: 'north', levelIds: [bench.idOf('DN')], codes: ['standard:7'] });
  await bench.addRule([stepTo(duty)], { name: 'head-end', sources: ['head_end'] });
  const [minute, before] = [bench.local(0), bench.local(-60)];
  await bench.addRule([stepTo(duty)], { name: 'never now', activeFrom: before, activeTo: minute });
  const engine = await bench.startEngine();
  const now = bench.clock.now();
  await bench.raise('MN0001', { code: 6 });
  await bench.raise('MN0001', { code: 8 });
  await bench.raise('MN0001', { code: 7 });
  await bench.raise('MS0001', { code: 7 });
  await bench.raise('MN0001', { code: 2 });
  await bench.raise('MN0001', { code: 12, occurAt: now - 25 * 60 * MINUTE_MS });
  await bench.app.ctx.pool.query(
    `insert into event_mute (device_kind, device_id, log, code, until, reason, muted_by) values ('meter', $1, 'standard', 13, now() + interval '1 day', 'x', 1)`,
    [bench.idOf('MN0002')],
  );
  await bench.raise('MN0002', { code: 13 });
  await storeOwnEvent(bench.events, { code: 60_020, occurAt: now, message: 'admin, 10.0.0.1' });
  await engine.runNow();
  const found = (await bench.list()).map(({ ruleName, code, meters }) => `${ruleName}: ${code}, ${meters}`);
  expect(new Set(found)).toEqual(new Set(['code: 8, 1', 'head-end: 60020, 0', 'north: 7, 1', 'serious: 6, 1', 'serious: 60020, 0']));
  expect(found).toHaveLength(5);
  const own = mails.received.find(({ subject }) => subject.includes('Sign-In Under Attack'));
  expect(own?.text).toContain('admin, 10.0.0.1');
});

test('the hours of a rule are those in which an event occurred, whenever it arrives', async () => {
  const hours = (from: number, to: number) => ({ activeFrom: bench.local(from), activeTo: bench.local(to) });
  await bench.addRule([stepTo(duty)], { name: 'two hours ago', ...hours(-150, -90) });
  await bench.addRule([stepTo(duty)], { name: 'now', ...hours(-30, 30) });
  const engine = await bench.startEngine();
  await bench.raise('MN0001', { occurAt: bench.clock.now() - 120 * MINUTE_MS });
  await engine.runNow();
  expect((await bench.list()).map(({ ruleName }) => ruleName)).toEqual(['two hours ago']);
});

test('steps follow until the alarm is acknowledged, and the last one is repeated', async () => {
  await bench.addRule([stepTo(duty), stepTo(boss, 15)], { repeatMinutes: 30 });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  expect(mails.received.map(({ to }) => to)).toEqual([['duty@example.com']]);
  bench.advance(14 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  bench.advance(MINUTE_MS + 1000);
  await engine.runNow();
  expect(mails.received[1]).toMatchObject({ to: ['boss@example.com'], subject: '[Step 2] Warning: Power Down, 1 meter, 1 DCU' });
  expect((await bench.list())[0]).toMatchObject({ state: 'escalated' });
  bench.advance(31 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received.map(({ to }) => to[0])).toEqual(['duty@example.com', 'boss@example.com', 'boss@example.com']);
  const [{ id }] = (await bench.list()) as [AlarmRow];
  expect((await bench.call('POST', `/${id}/acknowledge`)).statusCode).toBe(204);
  expect((await bench.call('POST', `/${id}/acknowledge`)).json().code).toBe('NOTHING_TO_DO');
  bench.advance(31 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(3);
  expect((await bench.list())[0]).toMatchObject({ state: 'acknowledged', acknowledgedByName: expect.any(String) });
});

test('acknowledging all events on their page ends the steps as well', async () => {
  await bench.addRule([stepTo(duty), stepTo(boss, 15)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await bench.raise('MN0002');
  await engine.runNow();
  const { rows } = await bench.app.ctx.pool.query<{ id: string; incident: string }>(
    'select e.id, e.incident_id as incident from event e join alarm_event o on o.event_id = e.id order by e.id',
  );
  const acknowledge = (payload: object) => bench.app.call(bench.admin, { method: 'PUT', url: '/api/event/ack', payload });
  expect((await acknowledge({ ids: [rows[0]?.id] })).statusCode).toBe(200);
  await engine.runNow();
  expect((await bench.list())[0]).toMatchObject({ state: 'sent' });
  expect((await acknowledge({ incidentIds: [rows[0]?.incident] })).statusCode).toBe(200);
  await engine.runNow();
  expect((await bench.list())[0]).toMatchObject({ state: 'acknowledged', acknowledgedByName: expect.stringMatching(/^u/) });
  bench.advance(16 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
});

test('the link of a mail acknowledges by a call, not by a GET, and only as it was signed', async () => {
  await bench.addRule([stepTo(duty), stepTo(boss, 15)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  const link = /\?ack=(\S+)/.exec(mails.received[0]?.text ?? '')?.[1] ?? '';
  const [{ id }] = (await bench.list()) as [AlarmRow];
  const byLink = (word: string, user = bench.admin) => bench.call('POST', '/acknowledge', { link: word }, user);
  await bench.app.fastify.inject({ method: 'GET', url: `/hes/system/system-management/alarms?ack=${link}` });
  expect((await bench.list())[0]).toMatchObject({ state: 'sent' });
  const forged = `${Number(id) + 1}${link.slice(link.indexOf('.'))}`;
  for (const wrong of ['', id, `${id}.`, forged, `${link.slice(0, -2)}xx`]) expect((await byLink(wrong)).statusCode, wrong).toBe(404);
  expect((await bench.app.call(undefined, { method: 'POST', url: '/api/manager/alarm/acknowledge', payload: { link } })).statusCode).toBe(
    401,
  );
  expect((await byLink(link, await bench.app.addUser({ roles: [] }))).statusCode).toBe(403);
  expect((await byLink(link)).json()).toEqual({ ruleName: expect.any(String) });
  expect((await bench.list())[0]).toMatchObject({ state: 'acknowledged' });
});

test('quiet hours hold messages back except for levels that break through, and counts go on', async () => {
  await bench.addRule([stepTo(duty)], { quietFrom: bench.local(-30), quietTo: bench.local(60), quietBreaks: ['serious'] });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await bench.raise('MN0001', { code: 6 });
  await engine.runNow();
  expect(subjects()).toEqual(['Serious: Clock Invalid, 1 meter, 1 DCU']);
  bench.advance(5 * MINUTE_MS);
  await bench.raise('MN0002');
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  bench.advance(56 * MINUTE_MS);
  await engine.runNow();
  expect(subjects()[1]).toBe('Warning: Power Down, 2 meters, 1 DCU');
});

test('a digest is sent once a local day, with the reading rate of yesterday', async () => {
  await bench.addRule([stepTo(duty)], { kind: 'digest', sources: [], levels: [], digestAt: bench.local(2) });
  const engine = await bench.startEngine();
  await engine.runNow();
  expect(mails.received).toHaveLength(0);
  bench.advance(3 * MINUTE_MS);
  await engine.runNow();
  await engine.runNow();
  bench.advance(-10 * MINUTE_MS);
  await engine.runNow();
  bench.advance(12 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  const yesterday = new Date(bench.clock.now() + 480 * MINUTE_MS - 1440 * MINUTE_MS).toISOString().slice(0, 10);
  expect(mails.received[0]?.subject).toBe(`Daily digest of ${yesterday}: 0 % of readings received`);
  expect(mails.received[0]?.text).toContain('DCUs online: 0 of 2');
  bench.advance(1440 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(2);
  expect((await bench.list()).map(({ kind, state }) => [kind, state])).toEqual([
    ['digest', 'closed'],
    ['digest', 'closed'],
  ]);
});

test('a process that dies after the answer and before its record sends again with the same Message-ID', async () => {
  await bench.addRule([stepTo(duty)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  // The state that a kill leaves: the server has accepted the mail, and the row still waits.
  await bench.app.ctx.pool.query(
    `update alarm_message set state = 'waiting', sent_at = null, attempts = 0,
      outcomes = (select jsonb_agg(o || '{"state":"waiting"}') from jsonb_array_elements(outcomes) o)`,
  );
  await bench.stop();
  await (await bench.startEngine()).runNow();
  expect(mails.received).toHaveLength(2);
  expect(new Set(mails.received.map(({ messageId }) => messageId)).size).toBe(1);
  expect((await bench.list())[0]?.messages).toMatchObject([{ state: 'sent' }]);
});

test('two engines at once count each event once and take each step once', async () => {
  await bench.addRule([stepTo(duty), stepTo(boss, 60)]);
  const first = await bench.startEngine();
  const second = bench.start();
  for (const sn of ['MN0001', 'MN0002', 'MS0001', 'MS0002']) {
    await bench.raise(sn);
    await Promise.all([first.runNow(), second.runNow()]);
  }
  await bench.stop();
  expect(await bench.list()).toMatchObject([{ events: 4, messages: [{ state: 'sent' }] }]);
  expect(new Set(mails.received.map(({ messageId }) => messageId)).size).toBe(1);
});

test('a channel that refuses makes the next step due and raises an alarm of the head-end that another channel carries', async () => {
  const other = await new MailServer().listen();
  mails.judge = () => smtpError(550, 'No such mailbox');
  const spare = await bench.addMailChannel(other.port, { name: 'spare' });
  await bench.addRule([stepTo(duty), stepTo(boss, 60, spare)], { sources: ['device'] });
  await bench.addRule([stepTo(boss, 0, spare)], { name: 'own alarms', sources: ['head_end'] });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await engine.runNow();
  await engine.runNow();
  expect(other.received.map(({ subject }) => subject).toSorted()).toEqual([
    'Serious: Alarm Channel Fails, head-end',
    '[Step 2] Warning: Power Down, 1 meter, 1 DCU',
  ]);
  expect(other.received.find(({ subject }) => subject.startsWith('Serious'))?.text).toContain('mail: mail_refused');
  const [channelRow] = (await bench.call('GET', '/channel')).json().items;
  expect(channelRow).toMatchObject({
    name: 'mail',
    state: 'failing',
    failure: 'mail_refused',
    failureDetail: expect.stringMatching(/^550/),
  });
  bench.advance(20 * MINUTE_MS);
  await bench.raise('MS0001');
  await engine.runNow();
  await engine.runNow();
  const own = await bench.app.ctx.pool.query('select from event where code = 60060');
  expect(own.rowCount).toBe(1);
  expect(other.received).toHaveLength(3);
  await other.close();
});

test('a recipient without an e-mail address makes the next step due, and the channel is not to blame', async () => {
  const phoneOnly = await bench.addRecipient({ email: null, phone: '+44 20 7946 0958' });
  await bench.addRule([stepTo(phoneOnly), stepTo(boss, 60)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await engine.runNow();
  expect(mails.received.map(({ to }) => to)).toEqual([['boss@example.com']]);
  expect((await bench.list())[0]?.messages).toMatchObject([{ state: 'failed', failure: 'no_address' }, { state: 'sent' }]);
  expect((await bench.call('GET', '/channel')).json().items[0]).toMatchObject({ state: 'running' });
});

test('a step of the wall clock delays and hurries no step', async () => {
  await bench.addRule([stepTo(duty), stepTo(boss, 15)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await engine.runNow();
  const { clock } = bench;
  const wall = clock.now;
  clock.now = () => wall() + 10 * 60 * MINUTE_MS;
  await engine.runNow();
  expect(mails.received).toHaveLength(1);
  clock.now = () => wall() - 10 * 60 * MINUTE_MS;
  bench.advance(16 * MINUTE_MS);
  await engine.runNow();
  clock.now = wall;
  expect(mails.received).toHaveLength(2);
});

test('a channel sends thirty messages an hour, serious ones first, and drops those of acknowledged alarms', async () => {
  const codes = [6, 12, 13, 14, 15, 16, 7, 8, 47, 88, 89, 254, 255, 1];
  for (let k = 0; k < 3; k++) await bench.addRule([stepTo(duty)], { name: `rule ${k}` });
  const engine = await bench.startEngine();
  for (const code of codes) await bench.raise('MN0001', { code });
  await engine.runNow();
  await engine.runNow();
  expect(mails.received).toHaveLength(30);
  expect(
    subjects()
      .slice(0, 18)
      .every((subject) => subject.startsWith('Serious')),
  ).toBe(true);
  const waiting = (await bench.call('GET', '?size=100')).json().items.filter((row: AlarmRow) => row.messages[0]?.state === 'waiting');
  expect(waiting).toHaveLength(12);
  await bench.call('POST', `/${waiting[0].id}/acknowledge`);
  bench.advance(61 * MINUTE_MS);
  await engine.runNow();
  expect(mails.received).toHaveLength(41);
});

test('rules, channels and recipients are for the whole network, audited, and kept while they are used', async () => {
  const rule = await bench.addRule([stepTo(duty)], { name: 'night' });
  const part = await bench.app.addUser({ scope: [bench.idOf('DN')] });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/rule'],
    ['GET', '/channel'],
    ['GET', '/recipient'],
    ['DELETE', `/rule/${rule}`],
    ['POST', `/channel/${channel}/test`],
  ] as const) {
    const answer = await bench.call(method, path, path.endsWith('test') ? { recipientId: null } : undefined, part);
    expect([path, answer.statusCode, answer.json().code]).toEqual([path, 403, 'WHOLE_NETWORK_ONLY']);
  }
  expect((await bench.call('DELETE', `/channel/${channel}`)).json()).toMatchObject({ code: 'IN_USE' });
  expect((await bench.call('DELETE', `/recipient/${duty}`)).json()).toMatchObject({ code: 'IN_USE' });
  expect((await bench.call('POST', `/rule/${rule}/pause`)).statusCode).toBe(204);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  expect(await bench.list()).toEqual([]);
  expect((await bench.call('POST', `/rule/${rule}/resume`)).statusCode).toBe(204);
  expect((await bench.call('DELETE', `/rule/${rule}`)).statusCode).toBe(204);
  expect((await bench.call('DELETE', `/channel/${channel}`)).statusCode).toBe(204);
  expect((await bench.call('DELETE', `/recipient/${duty}`)).statusCode).toBe(204);
  const { rows } = await bench.app.ctx.pool.query<{ action: string }>(
    "select action from audit_log where action like 'alarm_%' order by id desc limit 5",
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'alarm_recipient_deleted',
    'alarm_channel_deleted',
    'alarm_rule_deleted',
    'alarm_rule_resumed',
    'alarm_rule_paused',
  ]);
});

test('a level to which a rule is limited is not deleted', async () => {
  const asset = (method: 'POST' | 'DELETE', path: string, payload?: object) =>
    bench.app.call(bench.admin, { method, url: `/api/asset/level${path}`, ...(payload === undefined ? {} : { payload }) });
  const level = (await asset('POST', '', { name: 'Harbour', code: 'HARBOUR', type: 'company', parentId: null })).json();
  const rule = await bench.addRule([stepTo(duty)], { levelIds: [level.id] });
  const refused = await asset('DELETE', `/${level.id}`);
  expect(refused.json()).toMatchObject({ code: 'NOT_EMPTY', detail: 'Level is not empty: alarm rules limited to it: 1.' });
  expect((await bench.call('DELETE', `/rule/${rule}`)).statusCode).toBe(204);
  expect((await asset('DELETE', `/${level.id}`)).statusCode).toBe(204);
});

test('a rule with a fault in its steps, times or references is refused', async () => {
  const base = { kind: 'alarm', sources: ['device'], levels: ['serious'], name: 'fault' };
  for (const [fields, code] of [
    [{ steps: [] }, 'VALIDATION'],
    [{ steps: [stepTo(duty, 10), stepTo(boss, 5)] }, 'VALIDATION'],
    [{ steps: [stepTo(duty)], levels: [] }, 'VALIDATION'],
    [{ steps: [stepTo(duty)], quietFrom: '25:00' }, 'VALIDATION'],
    [{ steps: [stepTo('999999')] }, 'UNKNOWN_REFERENCE'],
    [{ steps: [stepTo(duty, 0, '999999')] }, 'UNKNOWN_REFERENCE'],
    [{ steps: [stepTo(duty)], levelIds: ['999999'] }, 'UNKNOWN_REFERENCE'],
  ] as const)
    expect((await bench.call('POST', '/rule', { ...base, ...fields })).json().code, JSON.stringify(fields)).toBe(code);
});
