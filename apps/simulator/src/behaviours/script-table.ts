import { scriptTable } from '@hes/dlms/cosem/classes/script-table.ts';
import { simulate } from '#devices/simulate.ts';

/** Scripts of a device by their numbers: what they do is the device's own affair. */
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
