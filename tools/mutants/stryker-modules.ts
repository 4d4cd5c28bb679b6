/** Files that Stryker mutates, with the tests that must detect the mutants. */
export interface StrykerModule {
  mutate: string[];
  tests: string[];
  /** Runs once before the tests. */
  globalSetup: string[];
}

const DATABASE = ['apps/server/test/global-setup.ts'];

const serverModule = (name: string, tests: string[]): StrykerModule => ({
  mutate: [`apps/server/src/${name}/**/*.ts`, `!apps/server/src/${name}/**/*.test.ts`],
  tests: [`apps/server/src/${name}/**/*.test.ts`, ...tests],
  globalSetup: DATABASE,
});

export const STRYKER_MODULES: Record<string, StrykerModule> = {
  dlms: {
    mutate: ['packages/dlms/src/**/*.ts', '!packages/dlms/src/**/*.test.ts'],
    tests: ['packages/dlms/src/**/*.test.ts', 'packages/dlms/test/**/*.test.ts', 'packages/dlms-node/src/**/*.test.ts'],
    globalSetup: [],
  },
  field: serverModule('field', [
    'apps/server/src/features/relay/relay.test.ts',
    'apps/server/test/field/{collect,changed-meter,trouble,pushed-readings,pushes,imposter,proof-of-dcu,endless-meter}.test.ts',
  ]),
  tasks: serverModule('tasks', [
    'apps/server/test/field/{trouble,plans,collect,restart}.test.ts',
    'apps/server/test/{pause,rerun,collect-plan,open-order,placed-orders}.test.ts',
  ]),
  storage: serverModule('storage', ['apps/server/test/field/{collect,refill,gap-reason,changed-meter,pushed-freeze}.test.ts']),
};

/** The module that `stryker-vitest.config.ts` is for. */
export const MODULE_SETTING = 'HES_MUTANTS_MODULE';

export function moduleNamed(name: string | undefined): StrykerModule {
  const found = STRYKER_MODULES[name ?? ''];
  if (found === undefined) throw new RangeError(`Unknown module "${name}". Known modules: ${Object.keys(STRYKER_MODULES).join(', ')}`);
  return found;
}
