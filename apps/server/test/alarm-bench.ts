import type { AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { TEMPLATES } from '@hes/contract/alarm/template.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { expect, vi } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { startAlarms } from '../src/features/alarms/port.ts';
import { msFromNow } from '../src/platform/clock.ts';
import type { PeriodicJob } from '../src/platform/periodic-job.ts';
import { EventWriter, type DeviceEvents } from '../src/storage/events/event-writer.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const NETWORKS = ['127.0.0.1'];
const WITHIN_MS = 15_000;

export const POWER_DOWN = { log: 'standard' as const, code: 1 };

/** A head-end with the small town, alarms, and the calls of their page. */
export class AlarmBench {
  readonly app: TestApp;
  readonly admin: TestUser;
  readonly ids = new Map<string, string>();
  readonly events: EventWriter;
  /** Clock of the engine and of devices; sessions of users follow the true one. */
  readonly clock = {
    now: () => Date.now() + this.#shiftMs,
    monotonic: () => msFromNow(this.#shiftMs),
  };
  #shiftMs = 0;
  #engines: PeriodicJob[] = [];
  #names = 0;

  private constructor(app: TestApp, admin: TestUser) {
    this.app = app;
    this.admin = admin;
    this.events = new EventWriter(this.#ctx);
  }

  static async open(options: Parameters<typeof testApp>[0] = {}, town = smallTown()): Promise<AlarmBench> {
    const app = await testApp({ deliveryNetworks: NETWORKS, ...options });
    await importCommissioning(app.ctx, town);
    await app.ctx.db.updateTable('setting').set({ value: '"Asia/Shanghai"' }).where('key', '=', 'timeZone').execute();
    await app.ctx.settings.reload();
    const bench = new AlarmBench(app, await app.addUser({ roles: ['ADMIN'] }));
    for (const table of ['dcu', 'meter'] as const)
      for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) bench.ids.set(row.sn, row.id);
    for (const row of await app.ctx.db.selectFrom('networkLevel').select(['id', 'code']).execute()) bench.ids.set(row.code, row.id);
    return bench;
  }

  idOf(name: string): string {
    return this.ids.get(name) ?? '';
  }

  get #ctx() {
    return { ...this.app.ctx, clock: this.clock };
  }

  advance(ms: number): void {
    this.#shiftMs += ms;
  }

  /** Local time of the utility, HH:MM, some minutes from now. */
  local(shiftMinutes: number): string {
    return new Zone(this.app.ctx.settings.timeZone).dateTime(this.clock.now() + shiftMinutes * 60_000).slice(11, 16);
  }

  start(): PeriodicJob {
    const engine = startAlarms(this.#ctx, { takeTurn: () => Promise.resolve(true) }, NETWORKS);
    this.#engines.push(engine);
    // A run that was in progress may have begun before the events of the test; the second one begins now.
    const runNow = async () => {
      await engine.runNow();
      await engine.runNow();
    };
    return { runNow, stop: () => engine.stop() };
  }

  /** An engine that has run once, which sets the mark: all later events are new. */
  async startEngine(): Promise<PeriodicJob> {
    const engine = this.start();
    await engine.runNow();
    return engine;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#engines.splice(0).map((engine) => engine.stop()));
  }

  /** Removes alarms, rules, channels and recipients, and ends the engine. */
  async clear(): Promise<void> {
    await this.stop();
    this.#shiftMs = 0;
    for (const table of ['alarm', 'alarm_rule', 'alarm_channel', 'alarm_recipient', 'alarm_mark'])
      await this.app.ctx.pool.query(`delete from ${table}`);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.events.stop();
    await this.app.close();
  }

  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, user = this.admin) {
    return this.app.call(user, { method, url: `/api/manager/alarm${path}`, ...(payload === undefined ? {} : { payload }) });
  }

  async add(path: 'rule' | 'channel' | 'recipient', payload: object): Promise<string> {
    const answer = await this.call('POST', `/${path}`, { name: `${path} ${++this.#names}`, ...payload });
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json().id;
  }

  addMailChannel(port: number, fields: object = {}): Promise<string> {
    const server = { host: '127.0.0.1', port, security: 'none', from: 'hes@example.com', consoleUrl: 'https://hes.example.com/hes' };
    return this.add('channel', { kind: 'email', ...server, ...fields });
  }

  addWebhook(url: string, fields: object = {}): Promise<string> {
    return this.add('channel', { kind: 'webhook', url, template: TEMPLATES.slack, ...fields });
  }

  addRecipient(fields: object = {}): Promise<string> {
    return this.add('recipient', { email: 'duty@example.com', phone: null, locale: 'en-US', ...fields });
  }

  /** A rule for all serious events and warnings, without a delay for counting. */
  addRule(steps: readonly object[], fields: object = {}): Promise<string> {
    const all = { kind: 'alarm', sources: ['device', 'head_end'], levels: ['serious', 'warning'], gatherSeconds: 0 };
    return this.add('rule', { ...all, steps, ...fields });
  }

  /** Stores an event of a device by the engine of the product. */
  async raise(sn: string, event: Partial<DeviceEvents['events'][number]> = {}): Promise<void> {
    const isMeter = sn.startsWith('M');
    const now = this.clock.now();
    await this.events.store({
      deviceKind: isMeter ? 'meter' : 'dcu',
      meterId: isMeter ? this.idOf(sn) : null,
      dcuId: this.idOf(isMeter ? `DCU${sn.slice(1, 2)}0001` : sn),
      source: 'push',
      traceId: null,
      events: [{ ...POWER_DOWN, log: isMeter ? 'standard' : 'dcu', occurAt: now, message: '', raw: new Uint8Array(), ...event }],
    });
  }

  async list(): Promise<AlarmRow[]> {
    return (await this.call('GET', '')).json().items;
  }

  until(condition: () => unknown): Promise<unknown> {
    return vi.waitFor(condition, { timeout: WITHIN_MS, interval: 50 });
  }
}
