import { scriptTable } from '@hes/dlms/cosem/classes/script-table.ts';
import { simulate } from '#devices/simulate.ts';

/** A script table; the scripts run in the device by their numbers. */
export const scriptsObject = simulate(scriptTable, (scripts: ReadonlyMap<number, () => void>) => ({
  read: { scripts: () => [...scripts.keys()].map((id) => ({ id, actions: [] })) },
  invoke: {
    execute: (id) => {
      const run = scripts.get(id);
      if (run === undefined) return 'objectUndefined';
      run();
      return 'success';
    },
  },
}));
