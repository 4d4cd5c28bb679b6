import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../src/platform/certificate.ts';
import { AlarmBench } from './alarm-bench.ts';
import { MailServer, smtpError } from './mail-server.ts';

const HOUR_MS = 3_600_000;
let bench: AlarmBench;
let server: MailServer | undefined;
beforeAll(async () => {
  bench = await AlarmBench.open();
});
afterAll(() => bench.close());
afterEach(async () => {
  await bench.clear();
  await server?.close();
  server = undefined;
});

const listen = async (options: ConstructorParameters<typeof MailServer>[0] = {}) => (server = await new MailServer(options).listen());
const testOf = async (id: string, recipientId: string | null) => (await bench.call('POST', `/channel/${id}/test`, { recipientId })).json();

test('a mail says in the language of each recipient what happened, where, since when, why, and what to do', async () => {
  const mails = await listen();
  const channel = await bench.addMailChannel(mails.port);
  const english = await bench.addRecipient({ name: 'Duty' });
  const chinese = await bench.addRecipient({ name: '值班', email: 'zhiban@example.com', locale: 'zh-CN' });
  const spanish = await bench.addRecipient({ name: 'Guardia', email: 'guardia@example.com', locale: 'es-ES' });
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [english, chinese, spanish] }], { gatherSeconds: 1 });
  bench.start();
  await bench.until(async () => expect((await bench.app.ctx.pool.query('select from alarm_mark')).rowCount).toBe(1));
  await bench.raise('MN0001');
  await bench.raise('MN0002');
  await bench.until(() => expect(mails.received).toHaveLength(3));
  const mailTo = (address: string) => mails.received.find(({ to }) => to.includes(address));
  const mail = mailTo('duty@example.com');
  expect(mail?.subject).toBe('Warning: Power Down, 2 meters, 1 DCU');
  expect(mail?.from).toBe('hes@example.com');
  for (const words of [
    'DCU DCUN0001 (Transformer N): 2 of 2 meters',
    'Since: ',
    'UTC+08:00',
    'Probable cause: Most meters of the affected DCUs report it',
    'What to do: Check the medium-voltage feeder',
    'Open and acknowledge: https://hes.example.com/hes/system/system-management/alarms?ack=',
  ])
    expect(mail?.text).toContain(words);
  expect(mail?.html).toContain('<a href="https://hes.example.com/hes/system/system-management/alarms?ack=');
  expect(mailTo('zhiban@example.com')?.subject).toBe('警告：停电，2 块电表、1 台集中器');
  expect(mailTo('guardia@example.com')?.text).toContain('Causa probable');
  expect(new Set(mails.received.map(({ messageId }) => messageId)).size).toBe(3);
});

test('names from outside begin no header and no markup', async () => {
  const mails = await listen();
  const channel = await bench.addMailChannel(mails.port);
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [await bench.addRecipient()] }]);
  const engine = bench.start();
  await engine.runNow();
  await bench.app.ctx.pool.query(
    "update event_code set name_en = E'<b>x</b>\\r\\nBcc: all@example.com' where log = 'standard' and code = 8",
  );
  await bench.raise('MN0001', { code: 8 });
  await bench.until(() => expect(mails.received).toHaveLength(1));
  const [mail] = mails.received;
  expect(mail?.to).toEqual(['duty@example.com']);
  expect(mail?.raw).not.toMatch(/^bcc:/im);
  expect(mail?.html).toContain('&lt;b&gt;x&lt;/b&gt;');
  expect(mail?.html).not.toContain('<b>');
});

test('STARTTLS is required, and the certificate is verified against the authority of the channel', async () => {
  const now = Date.now();
  const right = selfSigned(['127.0.0.1'], now - HOUR_MS, now + HOUR_MS);
  const mails = await listen({ ...right });
  const recipient = await bench.addRecipient();
  const fields = { security: 'starttls', username: 'hes', secret: 'right' };
  const trusted = await bench.addMailChannel(mails.port, { ...fields, ca: right.cert });
  expect(await testOf(trusted, recipient)).toMatchObject({ isSent: true });
  expect(mails.received).toMatchObject([{ isSecure: true, user: 'hes', subject: 'Test message of the head-end' }]);
  const unknown = await bench.addMailChannel(mails.port, fields);
  expect(await testOf(unknown, recipient)).toMatchObject({ isSent: false, failure: 'certificate' });
  const other = selfSigned(['127.0.0.1'], now - HOUR_MS, now + HOUR_MS);
  const foreign = await bench.addMailChannel(mails.port, { ...fields, ca: other.cert });
  expect(await testOf(foreign, recipient)).toMatchObject({ isSent: false, failure: 'certificate' });
  const wrong = await bench.addMailChannel(mails.port, { ...fields, ca: right.cert, secret: 'wrong' });
  expect(await testOf(wrong, recipient)).toMatchObject({
    isSent: false,
    failure: 'sign_in',
    detail: expect.stringContaining('Wrong password'),
  });
  expect(mails.received).toHaveLength(1);
});

test('an expired certificate, a server without STARTTLS and one with another name get no mail', async () => {
  const now = Date.now();
  const recipient = await bench.addRecipient();
  const expired = selfSigned(['127.0.0.1'], now - 48 * HOUR_MS, now - HOUR_MS);
  const old = await listen({ ...expired });
  const first = await bench.addMailChannel(old.port, { security: 'starttls', ca: expired.cert });
  expect(await testOf(first, recipient)).toMatchObject({ isSent: false, failure: 'certificate' });
  await old.close();
  const plain = await listen();
  const second = await bench.addMailChannel(plain.port, { security: 'starttls' });
  expect((await testOf(second, recipient)).isSent).toBe(false);
  await plain.close();
  const other = selfSigned(['mail.example.com'], now - HOUR_MS, now + HOUR_MS);
  const named = await listen({ ...other, secure: true });
  const third = await bench.addMailChannel(named.port, { security: 'tls', ca: other.cert });
  expect(await testOf(third, recipient)).toMatchObject({ isSent: false, failure: 'certificate' });
  expect([...old.received, ...plain.received, ...named.received]).toEqual([]);
});

test('a server that speaks TLS from the first octet is used', async () => {
  const now = Date.now();
  const right = selfSigned(['127.0.0.1'], now - HOUR_MS, now + HOUR_MS);
  const mails = await listen({ ...right, secure: true });
  const id = await bench.addMailChannel(mails.port, { security: 'tls', ca: right.cert });
  expect(await testOf(id, await bench.addRecipient())).toMatchObject({ isSent: true });
  expect(mails.received).toMatchObject([{ isSecure: true }]);
});

test('internal addresses are refused, and unencrypted connections beyond the permitted networks', async () => {
  const recipient = await bench.addRecipient();
  for (const host of ['10.1.2.3', '169.254.169.254', '127.0.0.2', '::1'])
    expect(await testOf(await bench.addMailChannel(25, { host, security: 'starttls' }), recipient), host).toMatchObject({
      isSent: false,
      failure: 'address_refused',
    });
});

test('a server that never answers ends within its time, and the failure is in the list', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const id = await bench.addMailChannel((silent.address() as AddressInfo).port); // as: a TCP server
  expect(await testOf(id, await bench.addRecipient())).toMatchObject({ isSent: false, failure: 'timeout' });
  silent.close();
}, 40_000);

test('a mail that is deferred (451) is sent again with the same Message-ID', async () => {
  const mails = await listen();
  const seen: string[] = [];
  mails.judge = ({ messageId }) => (seen.push(messageId) < 3 ? smtpError(451, 'Greylisted, try again') : undefined);
  const channel = await bench.addMailChannel(mails.port);
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [await bench.addRecipient()] }], { codes: ['standard:1'] });
  await bench.start().runNow();
  await bench.raise('MN0001');
  await bench.until(async () =>
    expect((await bench.list())[0]?.messages).toMatchObject([
      { state: 'waiting', failure: 'mail_deferred', answer: expect.stringMatching(/^451/) },
    ]),
  );
  await bench.until(async () => {
    bench.advance(5000);
    expect((await bench.list())[0]?.messages).toMatchObject([{ state: 'sent', attempts: 3, failure: null }]);
  });
  expect(new Set(seen).size).toBe(1);
  expect(mails.received).toHaveLength(1);
});

test('a changed mail server needs the password again, and a kept one never leaves for another server', async () => {
  const now = Date.now();
  const right = selfSigned(['127.0.0.1'], now - HOUR_MS, now + HOUR_MS);
  const mails = await listen({ ...right });
  const fields = { security: 'starttls', username: 'hes', ca: right.cert };
  const id = await bench.addMailChannel(mails.port, { ...fields, secret: 'right', name: 'mail' });
  const body = { name: 'mail', kind: 'email', host: '127.0.0.1', port: mails.port, from: 'hes@example.com', ...fields, version: 1 };
  const moved = await bench.call('PUT', `/channel/${id}`, { ...body, host: 'evil.example.com' });
  expect([moved.statusCode, moved.body]).toEqual([400, expect.stringContaining('secret')]);
  expect((await bench.call('PUT', `/channel/${id}`, { ...body, from: 'other@example.com' })).statusCode).toBe(200);
  expect(await testOf(id, await bench.addRecipient())).toMatchObject({ isSent: true });
  expect(JSON.stringify((await bench.call('GET', '/channel')).json())).not.toContain('right');
});

test('the audit log says who replaced a password or an address, and never their values', async () => {
  const address = 'https://chat.example.com/hooks/a-secret-place';
  const mail = await bench.addMailChannel(587, { name: 'mail', username: 'hes', secret: 'first word' });
  const chat = await bench.addWebhook(address, { name: 'chat' });
  const server = { host: '127.0.0.1', port: 587, security: 'none', from: 'hes@example.com', username: 'hes' };
  const config = { consoleUrl: 'https://hes.example.com/hes', ...server };
  const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  await bench.call('PUT', `/channel/${mail}`, { name: 'mail', kind: 'email', ...config, secret: 'second word', ca, version: 1 });
  await bench.call('PUT', `/channel/${mail}`, { name: 'post', kind: 'email', ...config, ca, version: 2 });
  const template = '{"text":"{{title}}"}';
  await bench.call('PUT', `/channel/${chat}`, {
    name: 'chat',
    kind: 'webhook',
    template,
    url: `${address}2`,
    secret: 'Bearer x',
    version: 1,
  });
  const { rows } = await bench.app.ctx.pool.query<{ detail: Record<string, Record<string, unknown>>; userId: string }>(
    `select detail, user_id as "userId" from audit_log where action = 'alarm_channel_changed' order by id desc limit 3`,
  );
  expect(rows.map(({ detail, userId }) => [detail['newSecrets'], userId])).toEqual([
    [['secret', 'url'], bench.admin.id],
    [undefined, bench.admin.id],
    [['secret'], bench.admin.id],
  ]);
  expect(rows[2]?.detail['after']?.['ca']).toContain('BEGIN CERTIFICATE');
  expect(JSON.stringify(rows)).not.toMatch(/second word|a-secret-place|Bearer/);
});
