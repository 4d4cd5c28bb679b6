import type { CommissioningFile } from '#db/seed/commissioning.ts';
import { importCommissioning } from '#db/seed/import-commissioning.ts';
import { findSetting, saveSetting } from '#db/settings.ts';
import { isLoopback } from '#platform/address.ts';
import type { Config } from '#platform/config.ts';
import type { Context, StoredSettings } from '#db/context.ts';
import { hasDcus, planVoltages, updateEndpoints } from './queries.ts';
import { startSimulator, type Simulator } from './simulator.ts';

/** Says that this database holds the demonstration utility, so that later starts bring its fleet back. */
const SETTING = 'demo';
/** What is looked at first has arrived by then. */
const VOLTAGES_AFTER_MS = 120_000;

async function takeOver(ctx: Context, settings: StoredSettings, world: CommissioningFile): Promise<void> {
  if ((await findSetting(ctx.db, SETTING)) !== true) {
    await importCommissioning(ctx, world);
    if (world.timeZone !== undefined) await saveSetting(ctx.db, 'timeZone', world.timeZone);
    await planVoltages(ctx.db, new Date(ctx.clock.now() + VOLTAGES_AFTER_MS));
    await saveSetting(ctx.db, SETTING, true);
    await settings.reload();
  }
  const endpoints = world.dcus.flatMap(({ sn, connectionType, host, port }) =>
    connectionType === 'dial_out' && host && port ? [{ sn, host, port }] : [],
  );
  await updateEndpoints(ctx.db, endpoints);
}

/** Unasked, it starts only where no other machine reaches the server: its meters and its control door are no part of a utility. */
export async function wantsDemo(
  ctx: Pick<Context, 'db'>,
  { demo, host, dlmsHost }: Pick<Config, 'demo' | 'host' | 'dlmsHost'>,
): Promise<boolean> {
  if (demo !== 'auto') return demo === 'on';
  if (!isLoopback(host) || !isLoopback(dlmsHost)) return false;
  return (await findSetting(ctx.db, SETTING)) === true || !(await hasDcus(ctx.db));
}

/** Starts the simulated fleet and imports what its manufacturer ships; once. */
export function startDemo(
  ctx: Context,
  settings: StoredSettings,
  dial: { host: string; port: number; keysFile: string },
): Promise<Simulator> {
  return startSimulator({ ...dial, log: ctx.log.child({ part: 'demo' }), onWorld: (world) => takeOver(ctx, settings, world) });
}
