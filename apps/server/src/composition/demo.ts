import type { CommissioningFile } from '#db/seed/commissioning.ts';
import { importCommissioning } from '#db/seed/import-commissioning.ts';
import { DEMO_SETTING, findSetting, saveSetting } from '#db/settings.ts';
import { isLoopback } from '#platform/address.ts';
import type { Config } from '#platform/config.ts';
import type { Context, StoredSettings } from '#db/context.ts';
import { hasDcus, planVoltages, updateEndpoints } from './queries.ts';
import { saveNames } from './demonstration.ts';
import { startSimulator, type Simulator } from './simulator.ts';

/** Absent in demonstrations with equal transformers, which versions without it imported. */
const LAYOUT_SETTING = 'demoLayout';
const LAYOUT = 'uneven';

/** Delay of the first voltage readings, so that readings of the first pages come before them. */
const VOLTAGES_AFTER_MS = 120_000;

async function takeOver(ctx: Context, settings: StoredSettings, world: CommissioningFile): Promise<void> {
  if ((await findSetting(ctx.db, DEMO_SETTING)) !== true) {
    await importCommissioning(ctx, world);
    if (world.timeZone !== undefined) await saveSetting(ctx.db, 'timeZone', world.timeZone);
    await planVoltages(ctx.db, new Date(ctx.clock.now() + VOLTAGES_AFTER_MS));
    await saveSetting(ctx.db, LAYOUT_SETTING, LAYOUT);
    await saveSetting(ctx.db, DEMO_SETTING, true);
    await settings.reload();
  }
  await saveNames(ctx.db, world);
  const endpoints = [...world.dcus, ...world.meters].flatMap(({ sn, connectionType, host, port }) =>
    connectionType === 'dial_out' && host && port ? [{ sn, host, port }] : [],
  );
  await updateEndpoints(ctx.db, endpoints);
}

/** Whether the demonstration has a past: not that of a former version, from which its user may have deleted meters. */
export const hasPast = async (db: Context['db']): Promise<boolean> => (await findSetting(db, LAYOUT_SETTING)) !== undefined;

/** By default the demonstration starts only if no other machine reaches the server, because a utility must not expose a simulator. */
export async function wantsDemo(
  ctx: Pick<Context, 'db'>,
  { demo, host, dlmsHost }: Pick<Config, 'demo' | 'host' | 'dlmsHost'>,
): Promise<boolean> {
  if (demo !== 'auto') return demo === 'on';
  if (!isLoopback(host) || !isLoopback(dlmsHost)) return false;
  const mark = await findSetting(ctx.db, DEMO_SETTING);
  return mark === true || (mark !== 'removed' && !(await hasDcus(ctx.db)));
}

/** Starts the simulated fleet, and imports its commissioning file at the first start. */
export async function startDemo(
  ctx: Context,
  settings: StoredSettings,
  { language = 'en', ...dial }: { host: string; port: number; keysFile: string; language?: Config['demoLanguage'] },
): Promise<Simulator> {
  const isFormer = (await findSetting(ctx.db, DEMO_SETTING)) === true && !(await hasPast(ctx.db));
  return startSimulator({
    ...dial,
    language,
    isFormer,
    log: ctx.log.child({ part: 'demo' }),
    onWorld: (world) => takeOver(ctx, settings, world),
  });
}
