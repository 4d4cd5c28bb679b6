import type { Demonstration } from '@hes/contract/asset/connecting.ts';
import { commitChanges, devicesChanged, sessionsEnded } from '#db/changes.ts';
import type { CommissioningFile } from '#db/seed/commissioning.ts';
import { writeAudit } from '#db/audit.ts';
import type { Context, Db, Who } from '#db/context.ts';
import { DEMO_SETTING, findSetting, saveSetting } from '#db/settings.ts';
import type { StoredDemonstration } from '#features/connecting/routes.ts';
import { removeTown } from './demonstration-town.ts';
import { countDevices, deleteDemonstration, type DemonstrationNames } from './demonstration-queries.ts';

const NAMES_SETTING = 'demoNames';
/** Setting with the days that were loaded; absent or null until all of them are stored. */
export const PAST_SETTING = 'demoPast';

const NONE: DemonstrationNames = { dcus: [], meters: [], transformers: [], levels: [], dcuTypes: [], meterTypes: [], suppliers: [] };

/** Records what belongs to the demonstration, so that it can be removed while no simulator runs. */
export function saveNames(db: Db, world: CommissioningFile): Promise<void> {
  const codes = (rows: readonly { code: string }[]) => rows.map(({ code }) => code);
  const names: DemonstrationNames = {
    dcus: world.dcus.map(({ sn }) => sn),
    meters: world.meters.map(({ sn }) => sn),
    transformers: codes(world.transformers),
    levels: codes(world.levels),
    dcuTypes: codes(world.dcuTypes),
    meterTypes: codes(world.meterTypes),
    suppliers: codes(world.suppliers),
  };
  return saveSetting(db, NAMES_SETTING, names);
}

/** What belongs to the demonstration; nothing when there is none. */
export async function findNames(db: Db): Promise<DemonstrationNames> {
  const names = (await findSetting(db, DEMO_SETTING)) === true ? await findSetting(db, NAMES_SETTING) : undefined;
  return typeof names === 'object' && names !== null ? (names as DemonstrationNames) : NONE; // as: written by `saveNames`
}

interface RemovableDemonstration extends StoredDemonstration {
  /** Resolves when a removal that was begun has ended. */
  removed(): Promise<void>;
  /** Removes the demonstration by order of the settings (HES_DEMO=remove). Without one it does nothing. */
  removeAtStart(): Promise<void>;
}

/** The demonstration as it is stored. `stopSimulator` ends its fleet, which would connect again otherwise. */
export function storedDemonstration(ctx: Context, stopSimulator: () => Promise<void>): RemovableDemonstration {
  let state: Demonstration['state'] = 'present';
  let removal: Promise<void> = Promise.resolve();

  /** `who`: undefined for the settings of the head-end. */
  async function remove(who: Who | undefined, reason: string): Promise<void> {
    const names = await findNames(ctx.db);
    await stopSimulator();
    await commitChanges(
      ctx,
      async (tx) => {
        const ended = await removeTown(tx, new Date(ctx.clock.now()));
        const deleted = await deleteDemonstration(tx, names);
        await saveSetting(tx, DEMO_SETTING, 'removed');
        await saveSetting(tx, NAMES_SETTING, NONE);
        await saveSetting(tx, PAST_SETTING, null);
        const detail = { dcus: deleted.dcus.length, meters: deleted.meters.length, reason };
        await writeAudit(
          tx,
          { userId: who?.user.id ?? null, entity: 'setting', ip: who?.ip, action: 'demonstration_removed', entityId: null, detail },
          ctx.clock.now(),
        );
        return { ...deleted, ended };
      },
      (done) => [devicesChanged('dcu', done.dcus), devicesChanged('meter', done.meters), sessionsEnded(done.ended, 'deleted')],
    );
  }

  return {
    async find() {
      const names = await findNames(ctx.db);
      if (names.dcus.length === 0) return undefined;
      return { ...(await countDevices(ctx.db, names)), state, sns: [...names.dcus, ...names.meters] };
    },
    remove: (who, reason) => {
      if (state === 'removing') return;
      state = 'removing';
      removal = remove(who, reason).then(
        () => void (state = 'present'),
        (error: unknown) => {
          state = 'failed';
          ctx.log.error('The demonstration could not be removed; nothing was deleted', { error });
        },
      );
    },
    removed: () => removal,
    async removeAtStart() {
      const { dcus } = await findNames(ctx.db);
      if (dcus.length > 0) await remove(undefined, 'HES_DEMO=remove');
    },
  };
}
