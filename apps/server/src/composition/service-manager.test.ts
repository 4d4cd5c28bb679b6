import { afterEach, expect, test } from 'vitest';
import { silentLog } from '#platform/log.ts';
import { serviceManager, type Notify, type ServiceManager } from './service-manager.ts';

const WATCHDOG_MS = 30;
const ENV = () => ({ NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: String(WATCHDOG_MS * 1000), WATCHDOG_PID: '1' });

let opened: ServiceManager | undefined;
afterEach(() => opened?.close());

/** States that were sent, and a promise of the next one. */
function recorder() {
  const sent: string[] = [];
  let told: () => void = () => undefined;
  const notify: Notify = (...state) => {
    sent.push(...state);
    told();
    return Promise.resolve();
  };
  return { sent, notify, next: () => new Promise<void>((resolve) => (told = resolve)) };
}

const openWith = (env: Record<string, string | undefined>, notify: Notify) => (opened = serviceManager(env, { log: silentLog, notify }));

test('readiness and end are reported, and no child process inherits the socket', async () => {
  const env: Record<string, string | undefined> = ENV();
  const { sent, notify } = recorder();
  const manager = openWith(env, notify);
  await manager.ready();
  await manager.stopping();
  expect(sent).toEqual(['READY=1', 'STATUS=Ready', 'STOPPING=1', 'STATUS=Stopping']);
  expect(env).toEqual({});
});

test('the watchdog is told again and again while the database answers', async () => {
  const { sent, notify, next } = recorder();
  openWith(ENV(), notify).watch(() => Promise.resolve(true));
  await next();
  await next();
  expect(sent).toEqual(['WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1'].slice(0, sent.length));
});

test('the watchdog is not told while the database fails or does not answer', async () => {
  const { sent, notify } = recorder();
  const answers = [() => Promise.reject(new Error('gone')), () => new Promise<boolean>(() => undefined)];
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let count = 0;
  openWith(ENV(), notify).watch(() => {
    const answer = answers[count++ % 2] ?? (() => Promise.resolve(false));
    if (count === 4) resolve();
    return answer();
  });
  await asked;
  expect(sent).toEqual([]);
});

test('without a service manager nothing is sent', async () => {
  const { sent, notify } = recorder();
  const manager = openWith({}, notify);
  manager.watch(() => Promise.resolve(true));
  await manager.ready();
  expect(sent).toEqual([]);
});
