import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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

test('the process rejects an invalid setting with one sentence', async () => {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, SIM_SCALE: 'huge' }, stdio: ['pipe', 'ignore', 'pipe'] });
  const [message] = (await once(child.stderr, 'data')) as [Buffer]; // as: what a stream emits
  expect(message.toString()).toContain('SIM_SCALE');
  expect(await once(child, 'exit')).toEqual([1, null]);
});
