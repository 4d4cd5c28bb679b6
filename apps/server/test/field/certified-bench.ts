import { expect } from 'vitest';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field } from '../../src/field/start-field.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { smallTown } from '../town.ts';
import { certifyHeadEnd, type CertifiedHeadEnd } from './certified.ts';
import { HURRY } from './hurry.ts';

/** A head-end with certificates that is ready for devices, with its API. */
export interface CertifiedBench {
  app: TestApp;
  field: Field;
  headEnd: CertifiedHeadEnd;
  /** Calls the API; fails the test when the call is refused. */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, payload?: object): Promise<ReturnType<typeof JSON.parse>>;
  close(): Promise<void>;
}

export async function certifiedBench(usages?: Parameters<typeof certifyHeadEnd>[2]): Promise<CertifiedBench> {
  const app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  await importCommissioning(app.ctx, smallTown());
  // A DCU without keys is admitted by the addresses of its type only.
  await app.ctx.pool.query("update dcu_type set allowed_addresses = '{127.0.0.1}'");
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const headEnd = await certifyHeadEnd(app, admin, usages);
  const field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
    dlmsPort: 0,
    host: '127.0.0.1',
    timeoutLimits: { longestMs: 2_000 },
  });
  const dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dispatcher.start();
  return {
    app,
    field,
    headEnd,
    async ask(method, path, payload) {
      const answer = await app.call(admin, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
      expect(answer.statusCode, answer.body).toBeLessThan(300);
      return answer.body === '' ? undefined : answer.json();
    },
    async close() {
      await dispatcher.stop();
      await field.stop();
      await app.close();
    },
  };
}
