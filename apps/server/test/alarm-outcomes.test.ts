import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { AlarmRow } from '@hes/contract/alarm/alarm.ts';
import type { AlarmRuleRow } from '@hes/contract/alarm/rule.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AlarmBench } from './alarm-bench.ts';
import { MailServer, smtpError } from './mail-server.ts';

const MINUTE_MS = 60_000;
let bench: AlarmBench;
let mails: MailServer;
let channel: string;
let duty: string;
let boss: string;
/** Answers to RCPT by address; others are accepted. */
const refused = new Map<string, Error>();
/** Runs while the server takes a mail. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve();

beforeAll(async () => {
  bench = await AlarmBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  refused.clear();
  meanwhile = () => Promise.resolve();
  mails = await new MailServer({
    onRcptTo: ({ address }, _session, callback) => void meanwhile().then(() => callback(refused.get(address) ?? null)),
  }).listen();
  channel = await bench.addMailChannel(mails.port, { name: 'mail' });
  duty = await bench.addRecipient({ name: 'Duty' });
  boss = await bench.addRecipient({ name: 'Boss', email: 'boss@example.com' });
});
afterEach(async () => {
  await bench.clear();
  await mails.close();
});

const stepTo = (recipientIds: string[], afterMinutes = 0, channelId = channel) => ({ afterMinutes, channelId, recipientIds });
const outcomesOf = (...states: string[]): string =>
  JSON.stringify(states.map((state, n) => ({ id: `${n}`, name: `${n}`, address: null, state, failure: null, answer: null })));
const first = async (): Promise<AlarmRow> => {
  const [row] = await bench.list();
  if (row === undefined) throw new Error('No alarm');
  return row;
};
const receivers = () => mails.received.map(({ to }) => to.join(' '));

async function changeRule(id: string, change: Partial<AlarmRuleRow>): Promise<void> {
  const rows: AlarmRuleRow[] = (await bench.call('GET', '/rule')).json().items;
  const row = rows.find((each) => each.id === id);
  const answer = await bench.call('PUT', `/rule/${id}`, { ...row, ...change });
  expect(answer.statusCode, answer.body).toBe(200);
}

test('a mail that one recipient refuses for good is sent to the others once, and the log says whom it did not reach', async () => {
  refused.set('boss@example.com', smtpError(550, 'No such mailbox'));
  await bench.addRule([stepTo([duty, boss])]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  bench.advance(20 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com']);
  const { delivery, messages } = await first();
  expect(delivery).toBe('partly');
  expect(messages).toMatchObject([
    {
      state: 'partly',
      recipients: 'Boss, Duty',
      outcomes: [
        { name: 'Duty', address: 'duty@example.com', state: 'sent' },
        { name: 'Boss', address: 'boss@example.com', state: 'failed', failure: 'mail_refused', answer: expect.stringMatching(/^550/) },
      ],
    },
  ]);
  expect((await bench.call('GET', '/channel')).json().items[0]).toMatchObject({ state: 'running' });
});

test('a recipient whose server defers is tried again alone, with the same Message-ID', async () => {
  refused.set('boss@example.com', smtpError(451, 'Greylisted'));
  await bench.addRule([stepTo([duty, boss])]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  expect(await first()).toMatchObject({
    state: 'sent',
    delivery: 'waiting',
    messages: [{ state: 'waiting', outcomes: [{ state: 'sent' }, { state: 'waiting', failure: 'mail_deferred' }] }],
  });
  refused.clear();
  bench.advance(MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com', 'boss@example.com']);
  expect(new Set(mails.received.map(({ messageId }) => messageId)).size).toBe(1);
  expect(await first()).toMatchObject({
    delivery: 'sent',
    messages: [{ state: 'sent', outcomes: [{ state: 'sent' }, { state: 'sent' }] }],
  });
});

test('an alarm whose messages are all refused is not delivered, whatever steps were taken', async () => {
  mails.judge = () => smtpError(554, 'Spam');
  await bench.addRule([stepTo([duty]), stepTo([boss], 60)], { sources: ['device'] });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await engine.runNow();
  expect(await first()).toMatchObject({ state: 'failed', delivery: 'failed', messages: [{ state: 'failed' }, { state: 'failed' }] });
  expect((await bench.call('GET', '?state=failed')).json().items).toHaveLength(1);
});

test('a message that left without an answer and is given up has an unknown outcome', async () => {
  // A server that takes the message and hangs up in place of its last answer.
  const rude = createServer((socket) => {
    let isData = false;
    socket.on('error', () => undefined);
    socket.write('220 rude\r\n');
    socket.on('data', (octets: Buffer) => {
      const text = octets.toString('latin1');
      if (isData) {
        if (text.includes('\r\n.\r\n')) socket.destroy();
        return;
      }
      for (const line of text.split('\r\n').filter((each) => each !== '')) {
        if (line.startsWith('DATA')) isData = true;
        socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  const other = await bench.addMailChannel((rude.address() as AddressInfo).port, { name: 'rude' }); // as: a TCP server
  await bench.addRule([stepTo([duty], 0, other)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await bench.app.ctx.pool.query('update alarm_message set attempts = 39, wait_seconds = 0');
  await engine.runNow();
  expect(await first()).toMatchObject({
    state: 'failed',
    delivery: 'unknown',
    messages: [{ state: 'unknown', outcomes: [{ name: 'Duty', state: 'unknown' }] }],
  });
  rude.close();
});

test('a mail that was accepted while its alarm was acknowledged is logged as sent', async () => {
  await bench.addRule([stepTo([duty])]);
  const engine = await bench.startEngine();
  meanwhile = () =>
    bench.app.ctx.pool.query("with a as (update alarm set acknowledged_at = now()) update alarm_message set state = 'dropped'");
  await bench.raise('MN0001');
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com']);
  expect(await first()).toMatchObject({ delivery: 'sent', messages: [{ state: 'sent' }] });
});

test('an open alarm keeps the steps, name and times of its rule, but sends nothing to a recipient that was removed', async () => {
  const rule = await bench.addRule([stepTo([duty]), stepTo([duty, boss], 15)], { name: 'night' });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  const late = await bench.addRecipient({ name: 'Late', email: 'late@example.com' });
  await changeRule(rule, { name: 'day', steps: [stepTo([duty]), stepTo([late], 5)] });
  bench.advance(6 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com']);
  bench.advance(10 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com', 'duty@example.com']);
  expect(await first()).toMatchObject({ ruleName: 'night', state: 'escalated', endReason: null });
});

test('a message that waits is not sent to a recipient or by a channel that was removed from the rule', async () => {
  mails.judge = () => smtpError(451, 'Later');
  const rule = await bench.addRule([stepTo([duty, boss])], { repeatMinutes: 600 });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await changeRule(rule, { steps: [stepTo([boss])] });
  mails.judge = () => undefined;
  bench.advance(10 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual(['boss@example.com']);
  const [message] = (await first()).messages;
  expect(message).toMatchObject({
    state: 'sent',
    outcomes: [
      { name: 'Duty', state: 'removed' },
      { name: 'Boss', state: 'sent' },
    ],
  });
});

test('an alarm of which a change leaves no recipient is closed with a reason, and its waiting message is dropped', async () => {
  mails.judge = () => smtpError(451, 'Later');
  const rule = await bench.addRule([stepTo([duty])], { repeatMinutes: 30 });
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  await changeRule(rule, { steps: [stepTo([boss])] });
  mails.judge = () => undefined;
  bench.advance(60 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual([]);
  expect(await first()).toMatchObject({
    state: 'closed',
    endReason: 'rule_changed',
    delivery: 'dropped',
    messages: [{ outcomes: [{ name: 'Duty', state: 'removed' }] }],
  });
  const { rows } = await bench.app.ctx.pool.query(
    "select detail from audit_log where action = 'alarm_rule_changed' order by id desc limit 1",
  );
  expect(rows[0]).toMatchObject({ detail: { closedAlarms: 1 } });
});

test('pausing a rule closes its alarms with a reason and drops messages that wait; resuming it begins anew', async () => {
  mails.judge = () => smtpError(451, 'Later');
  const rule = await bench.addRule([stepTo([duty]), stepTo([boss], 15)]);
  const engine = await bench.startEngine();
  await bench.raise('MN0001');
  await engine.runNow();
  expect((await bench.call('POST', `/rule/${rule}/pause`)).statusCode).toBe(204);
  expect(await first()).toMatchObject({ state: 'closed', endReason: 'rule_paused', nextStepAt: null, messages: [{ state: 'dropped' }] });
  mails.judge = () => undefined;
  expect((await bench.call('POST', `/rule/${rule}/resume`)).statusCode).toBe(204);
  bench.advance(20 * MINUTE_MS);
  await engine.runNow();
  expect(receivers()).toEqual([]);
  await bench.raise('MN0001');
  await engine.runNow();
  expect(receivers()).toEqual(['duty@example.com']);
  expect(await bench.list()).toHaveLength(2);
});

test('an alarm that another head-end opened while its rule was being paused is closed as well', async () => {
  const rule = await bench.addRule([stepTo([duty])]);
  const engine = await bench.startEngine();
  await bench.call('POST', `/rule/${rule}/pause`);
  await bench.app.ctx.pool.query(
    `insert into alarm (rule_id, log, code, level, opened_at, last_at, wait_seconds, wait_since)
      values ($1, 'standard', 1, 'serious', now(), now(), 60, now())`,
    [rule],
  );
  await engine.runNow();
  expect(await first()).toMatchObject({ state: 'closed', endReason: 'rule_paused' });
});

test('a digest is over when its mail has ended, and counts the messages of the day by what became of them', async () => {
  mails.judge = () => smtpError(451, 'Later');
  await bench.addRule([stepTo([duty])], { kind: 'digest', sources: [], levels: [], digestAt: bench.local(1) });
  const engine = await bench.startEngine();
  bench.advance(2 * MINUTE_MS);
  await engine.runNow();
  expect(await first()).toMatchObject({ kind: 'digest', state: 'waiting', delivery: 'waiting' });
  const id = (await first()).id;
  await bench.app.ctx.pool.query(
    `insert into alarm_message (alarm_id, channel_id, step, recipient_ids, outcomes, locale, message_id, state, is_uncertain, wait_since, created_at)
      select $1, $2, 1, '{}', outcomes::jsonb, 'en-US', gen_random_uuid(), state, is_uncertain, now(), $3
      from (values ('sent', false, $4), ('sent', false, $5), ('failed', true, '[]'), ('failed', false, '[]'), ('failed', false, '[]'))
        m (state, is_uncertain, outcomes)`,
    [id, channel, new Date(bench.clock.now() - 1440 * MINUTE_MS), outcomesOf('sent'), outcomesOf('sent', 'failed')],
  );
  mails.judge = () => undefined;
  bench.advance(MINUTE_MS);
  await engine.runNow();
  await engine.runNow();
  expect(mails.received[0]?.text).toContain(
    'Alarm messages of the day: 1 sent, 1 refused in part, 2 given up, 1 with unknown outcome, 0 waiting',
  );
  expect((await first()).state).toBe('closed');
});
