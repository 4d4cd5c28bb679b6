import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import type { FleetAuthentication } from '@hes/simulator/devices/rules.ts';
import type { DirectScale } from '@hes/simulator/world/scale.ts';
import type { DcuModel } from '@hes/simulator/devices/context.ts';
import { commissioningFile } from '../../src/db/seed/commissioning.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { saveSetting } from '../../src/db/settings.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField } from '../../src/field/start-field.ts';
import type { UpgradePace } from '../../src/features/upgrade/transfer/pace.ts';
import type { TimeoutLimits } from '../../src/field/response-timeout.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { HURRY } from './hurry.ts';
import { SwitchLedger, type Switches } from '../../src/platform/switch-ledger.ts';

/** The API and a head-end with an imported simulated fleet. No plan collects anything. */
export interface AppBench {
  app: TestApp;
  simulation: Simulation;
  /** DLMS port of the head-end. */
  dlmsPort: number;
  dispatcher: Dispatcher;
  close(): Promise<void>;
}

interface Options {
  timeoutLimits?: TimeoutLimits;
  scale?: { dcus: number; metersPerDcu: number };
  directMeters?: DirectScale;
  /** Seconds between pushes of direct meters; also opens the port for datagrams. */
  pushSeconds?: number;
  /** The meters have short names only, and so do their types. */
  hasShortNames?: boolean;
  timeZone?: string;
  switches?: Switches;
  upgradePace?: UpgradePace;
  /** Default: reference DCUs. */
  dcuModel?: Partial<DcuModel>;
  /** Default: GMAC in suite 0. */
  authentication?: FleetAuthentication;
}

export async function appBench({
  timeoutLimits,
  scale,
  directMeters,
  pushSeconds,
  hasShortNames,
  timeZone,
  dcuModel,
  upgradePace,
  authentication,
  switches = new SwitchLedger(undefined, Date.now()),
}: Options = {}): Promise<AppBench> {
  const app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  if (timeZone !== undefined) {
    await saveSetting(app.ctx.db, 'timeZone', timeZone);
    await app.ctx.settings.reload();
  }
  const field = await startField(app.ctx, {
    features: fieldFeatures({ switches, ...(upgradePace === undefined ? {} : { upgradePace }) }),
    dlmsPort: 0,
    host: '127.0.0.1',
    ...(pushSeconds === undefined ? {} : { udpPort: 0 }),
    dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
    ...(timeoutLimits === undefined ? {} : { timeoutLimits }),
  });
  const headEnd = { host: '127.0.0.1', port: field.port, udpPort: field.udpPort };
  const simulation = await startSimulation({
    channel: 'fast',
    headEnd,
    directMeters,
    pushSeconds,
    hasShortNames,
    dcuModel,
    authentication,
    ...(scale === undefined ? {} : { scale }),
  });
  await importCommissioning(app.ctx, commissioningFile.parse(simulation.commissioning));
  if (hasShortNames === true) await app.ctx.pool.query("update meter_type set addressing = 'short'");
  const dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dispatcher.start();
  return {
    app,
    simulation,
    dlmsPort: field.port,
    dispatcher,
    async close() {
      await dispatcher.stop();
      await simulation.stop();
      await field.stop();
      await app.close();
    },
  };
}
