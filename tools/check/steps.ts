export interface Step {
  name: string;
  command: [program: string, ...args: string[]];
  /** Prints the output at the end even if the step passes. */
  isShown?: boolean;
}

const PROJECTS = [
  'packages/dlms/tsconfig.json',
  'packages/dlms/tsconfig.test.json',
  'packages/dlms-node/tsconfig.json',
  'packages/contract/tsconfig.json',
  'apps/server/tsconfig.json',
  'apps/simulator/tsconfig.json',
  'apps/web/tsconfig.json',
  'tsconfig.json',
];

/** Slow steps first, so that the quick ones fill the remaining time. */
export const STEPS: readonly Step[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  ...PROJECTS.map((project): Step => ({
    name: `types ${project.replace(/\/?tsconfig\.json$/, '') || 'tools and e2e'}`,
    command: ['tsc', '-p', project],
  })),
  { name: 'unused', command: ['knip', '--no-progress'] },
  { name: 'boundaries', command: ['node', 'tools/boundaries/main.ts'] },
  { name: 'migrations', command: ['node', 'tools/check/migrations.ts'] },
  { name: 'texts', command: ['node', 'tools/texts/style-main.ts'] },
  { name: 'golden', command: ['node', 'tools/golden/golden.ts'] },
  { name: 'stats', command: ['node', 'tools/stats/stats.ts'], isShown: true },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
];
