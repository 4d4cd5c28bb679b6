import type { SenderRow } from '@hes/contract/delivery/sender.ts';
import { expect, vi } from 'vitest';
import { createPartitions } from '../src/db/partitions.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { startDeliveries, type DeliveryReach } from '../src/features/deliveries/port.ts';
import type { PeriodicJob } from '../src/platform/periodic-job.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const WITHIN_MS = 20_000;

export const until = (condition: () => unknown): Promise<unknown> => vi.waitFor(condition, { timeout: WITHIN_MS, interval: 50 });

/** A head-end with a small town, whose senders may reach this machine. */
export class SenderBench {
  readonly app: TestApp;
  readonly #admin: TestUser;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #reach: DeliveryReach;
  #engine: PeriodicJob | undefined;

  private constructor(app: TestApp, admin: TestUser, ids: ReadonlyMap<string, string>, folder: string | undefined) {
    this.app = app;
    this.#reach = { networks: ['127.0.0.1'], folder };
    this.#admin = admin;
    this.#ids = ids;
  }

  static async open(options: Parameters<typeof testApp>[0] = {}): Promise<SenderBench> {
    const app = await testApp({ deliveryNetworks: ['127.0.0.1'], ...options });
    await importCommissioning(app.ctx, smallTown());
    await createPartitions(app.ctx.pool, Date.now());
    const ids = new Map<string, string>();
    for (const table of ['dcu', 'meter'] as const)
      for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
    return new SenderBench(app, await app.addUser({ roles: ['ADMIN'] }), ids, options.deliveryFolder);
  }

  idOf(sn: string): string {
    return this.#ids.get(sn) ?? '0';
  }

  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
    return this.app.call(this.#admin, { method, url: `/api/manager/sender${path}`, ...(payload === undefined ? {} : { payload }) });
  }

  async add(fields: object): Promise<SenderRow> {
    const answer = await this.call('POST', '', { name: 'MDM', contents: ['assets'], ...fields });
    expect(answer.statusCode, answer.body).toBe(201);
    return answer.json();
  }

  async row(id: string): Promise<SenderRow> {
    return (await this.call('GET', `/${id}`)).json();
  }

  async test(id: string): Promise<{ isDelivered: boolean; failure: string | null; detail: string | null }> {
    return (await this.call('POST', `/${id}/test`)).json();
  }

  /** Changes master data, which is announced. */
  async change(sn: string, customerNo: string): Promise<void> {
    await this.app.ctx.db.updateTable('meter').set({ customerNo }).where('id', '=', this.idOf(sn)).execute();
  }

  start(): PeriodicJob {
    return (this.#engine = startDeliveries(this.app.ctx, { takeTurn: () => Promise.resolve(true) }, this.#reach));
  }

  /** Ends the engine, removes all senders and takes changes back, so that a repeated test changes something again. */
  async clear(): Promise<void> {
    await this.#engine?.stop();
    this.#engine = undefined;
    await this.app.ctx.pool.query('delete from sender');
    await this.app.ctx.pool.query('update meter set customer_no = null, address = null');
  }

  async close(): Promise<void> {
    await this.#engine?.stop();
    await this.app.close();
  }
}
