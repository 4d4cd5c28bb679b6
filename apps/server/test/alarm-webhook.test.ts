import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TEMPLATES } from '@hes/contract/alarm/template.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AlarmBench } from './alarm-bench.ts';

interface Call {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks on a real port, whose answers the test decides. */
class Receiver {
  readonly calls: Call[] = [];
  answer: (response: ServerResponse) => void = (response) => void response.end('ok');
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.calls.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      this.answer(response);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/services/T0/token`; // as: a TCP server
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let bench: AlarmBench;
let receiver: Receiver;
let url: string;
beforeAll(async () => {
  bench = await AlarmBench.open();
});
afterAll(() => bench.close());
beforeEach(async () => {
  receiver = new Receiver();
  url = await receiver.listen();
});
afterEach(async () => {
  await bench.clear();
  await receiver.close();
});

const testOf = async (id: string, recipientId: string | null = null) =>
  (await bench.call('POST', `/channel/${id}/test`, { recipientId })).json();

test('texts of devices stay within the strings of the template', async () => {
  const hostile = `"},"admin":true,"x":{"y":"\\ {{recipient}} \n\u2028 </script>`;
  await bench.app.ctx.pool.query("update event_code set name_en = $1 where log = 'standard' and code = 9", [hostile.slice(0, 64)]);
  await bench.app.ctx.pool.query("update event_code set abnormal_level = 'warning' where log = 'standard' and code = 9");
  const channel = await bench.addWebhook(url, {
    template: JSON.stringify({ '{{level}}': ['{{title}}', { text: '{{ text }} · {{link}}' }], count: 1 }),
  });
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [] }]);
  const engine = bench.start();
  await engine.runNow();
  await bench.raise('MN0001', { code: 9 });
  await bench.until(() => expect(receiver.calls).toHaveLength(1));
  const body = JSON.parse(receiver.calls[0]?.body ?? '');
  expect(Object.keys(body)).toEqual(['Warning', 'count']);
  expect(body.count).toBe(1);
  expect(Object.keys(body.Warning[1])).toEqual(['text']);
  expect(body.Warning[0]).toContain('"},"admin":true');
  expect(body.Warning[0]).toContain('{{recipient}}');
});

test('an SMS gateway is called once for each recipient, in their language, with authorization', async () => {
  const channel = await bench.addWebhook(url, {
    template: TEMPLATES.sms,
    secret: 'Bearer gateway',
    consoleUrl: 'https://hes.example.com/hes/',
  });
  const english = await bench.addRecipient({ phone: '+44 20 7946 0958' });
  const chinese = await bench.addRecipient({ phone: '+86 10 1234 5678', locale: 'zh-CN' });
  await bench.addRule([{ afterMinutes: 0, channelId: channel, recipientIds: [english, chinese] }]);
  const engine = bench.start();
  await engine.runNow();
  await bench.raise('MN0001');
  await bench.until(() => expect(receiver.calls).toHaveLength(2));
  const bodies = receiver.calls.map(({ body }) => JSON.parse(body));
  expect(new Set(bodies.map(({ to }) => to))).toEqual(new Set(['+44 20 7946 0958', '+86 10 1234 5678']));
  expect(bodies.find(({ to }) => to.startsWith('+86')).text).toMatch(
    /^警告：停电，1 块电表、1 台集中器 https:\/\/hes\.example\.com\/hes\/system\/system-management\/alarms\?ack=/,
  );
  expect(receiver.calls[0]?.headers.authorization).toBe('Bearer gateway');
  expect(receiver.calls[0]?.headers['webhook-id']).toBe(bodies[0].reference);
});

test.each([
  [
    'redirects into the internal network',
    (response: ServerResponse) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'redirected',
  ],
  ['refuses the message', (response: ServerResponse) => void response.writeHead(400).end(), 'refused'],
  ['fails', (response: ServerResponse) => void response.writeHead(500).end(), 'status'],
  ['hangs up', (response: ServerResponse) => void response.socket?.destroy(), 'unreachable'],
])('a receiver that %s is a failure', async (_, answer, failure) => {
  receiver.answer = answer;
  expect(await testOf(await bench.addWebhook(url))).toMatchObject({ isSent: false, failure });
  expect(receiver.calls).toHaveLength(1);
});

test('a receiver that answers without end keeps neither memory nor time', async () => {
  receiver.answer = (response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  };
  expect(await testOf(await bench.addWebhook(url))).toMatchObject({ isSent: true });
});

test('internal addresses are refused, also behind names, and addresses with a password', async () => {
  for (const address of ['https://10.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/latest'])
    expect(await testOf(await bench.addWebhook(address)), address).toMatchObject({ failure: 'address_refused' });
  expect(await testOf(await bench.addWebhook('http://203.0.113.7/'))).toMatchObject({ failure: 'not_encrypted' });
  const answer = await bench.call('POST', '/channel', {
    name: 'p',
    kind: 'webhook',
    url: 'https://a:b@example.com/',
    template: TEMPLATES.slack,
  });
  expect(answer.json().code).toBe('VALIDATION');
});

test('the address of a webhook is a secret, and templates that are no JSON are refused', async () => {
  await bench.addWebhook(url, { secret: 'Bearer gateway' });
  const list = (await bench.call('GET', '/channel')).body;
  expect(list).toContain(new URL(url).host);
  expect(list).not.toContain('/services/T0/token');
  expect(list).not.toContain('gateway');
  for (const template of ['', '{{title}}', '{"a": {{title}}}', '"{{title}}"', '{"a":"{{unknown}}"}']) {
    const answer = await bench.call('POST', '/channel', { name: 'x', kind: 'webhook', url, template });
    expect([template, answer.json().code]).toEqual([template, 'VALIDATION']);
  }
});
