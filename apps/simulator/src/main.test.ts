import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { readCertificate } from '@hes/dlms/security/certificate.ts';
import { requestCertificate } from '@hes/dlms/security/certificate-request.ts';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

test('the process reports that it is ready, serves the control API only with its secret, and ends with its standard input', async () => {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, SIM_SCALE: '2x3', SIM_CHANNEL: 'fast' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer]; // as: what a stream emits
  const ready = JSON.parse(line.toString()) as { controlPort: number; controlSecret: string }; // as: compared next
  expect(ready).toEqual({ ready: true, controlPort: expect.any(Number), controlSecret: expect.any(String), dcus: 2, meters: 6 });
  const ask = async (headers: Record<string, string>) => (await fetch(`http://127.0.0.1:${ready.controlPort}/dcu`, { headers })).status;
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization: 'Bearer guessed' })).toBe(401);
  expect(await ask({ authorization: `Bearer ${ready.controlSecret}` })).toBe(200);
  const exited = once(child, 'exit');
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test.each([
  ['SIM_SCALE', 'huge'],
  ['SIM_AUTHENTICATION', 'some'],
  ['SIM_DCU', 'other'],
])('the process rejects %s=%s with one sentence', async (name, value) => {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, [name]: value }, stdio: ['pipe', 'ignore', 'pipe'] });
  const [message] = (await once(child.stderr, 'data')) as [Buffer]; // as: what a stream emits
  expect(message.toString()).toContain(name);
  expect(await once(child, 'exit')).toEqual([1, null]);
});

test('a fleet of plain gateways with every authentication is registered as such, and its authority certifies a head-end', async () => {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      SIM_SCALE: '1x20',
      SIM_CHANNEL: 'fast',
      SIM_DCU: 'gateway',
      SIM_AUTHENTICATION: 'every',
      SIM_CONTROL_SECRET: 'secret',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer]; // as: what a stream emits
  const { controlPort } = JSON.parse(line.toString()) as { controlPort: number }; // as: printed so
  // any: answers of the control API, compared below
  const ask = async (path: string, order: RequestInit = {}): Promise<any> =>
    (await fetch(`http://127.0.0.1:${controlPort}${path}`, { ...order, headers: { authorization: 'Bearer secret' } })).json();
  const world = await ask('/world');
  expect(world.dcuTypes.map(({ adapter }: { adapter: string }) => adapter)).toEqual(['gateway', 'gateway']);
  const suites = new Set(world.meterTypes.map(({ securitySuite = 0 }: { securitySuite?: number }) => securitySuite));
  expect(suites).toEqual(new Set([0, 1, 2]));
  const { pem } = await ask('/certificate');
  expect(pem.match(/BEGIN CERTIFICATE/g).length).toBeGreaterThan(2);
  const privateKey = new Uint8Array(32).fill(7);
  const request = Buffer.from(requestCertificate(nodeCipher, privateKey, '4845530000000001')).toString('base64');
  const order = { request: `-----BEGIN CERTIFICATE REQUEST-----\n${request}\n-----END CERTIFICATE REQUEST-----\n` };
  const answer = await ask('/certificate', { method: 'POST', body: JSON.stringify(order) });
  const [, base64 = ''] = /CERTIFICATE-----([^-]*)-----END/.exec(answer.pem) ?? [];
  const certificate = readCertificate(new Uint8Array(Buffer.from(base64, 'base64')));
  expect(certificate).toMatchObject({ subject: '4845530000000001', publicKey: nodeCipher.publicKeyOf?.(privateKey) });
  const exited = once(child, 'exit');
  child.stdin.end();
  await exited;
});
