/** The guarantees of docs/reliability.md. */
export const PROMISES = ['G1', 'G2', 'G3', 'G4', 'G5'] as const;

/** Modules that implement a guarantee, each with its folder or file. */
export const MODULES = {
  association: 'packages/dlms/src/association/',
  security: 'packages/dlms/src/security/',
  framing: 'packages/dlms/src/framing/',
  sessions: 'apps/server/src/field/session-registry.ts',
  channel: 'apps/server/src/field/channel.ts',
  link: 'apps/server/src/field/link.ts',
  counters: 'apps/server/src/field/counters.ts',
  'read-profile': 'apps/server/src/field/profiles/read-profile.ts',
  collect: 'apps/server/src/features/collection/collect.ts',
  relay: 'apps/server/src/features/relay/operation.ts',
  pushes: 'apps/server/src/field/push-handler.ts',
  dispatcher: 'apps/server/src/tasks/dispatcher.ts',
  lease: 'apps/server/src/tasks/queries.ts',
  retry: 'apps/server/src/tasks/retry.ts',
  'result-writer': 'apps/server/src/tasks/result-writer.ts',
  'possibly-executed': 'apps/server/src/tasks/possibly-executed.ts',
  writer: 'apps/server/src/storage/writer.ts',
  merge: 'apps/server/src/storage/merge-rows.ts',
  'day-rows': 'apps/server/src/storage/day-rows.ts',
  'copy-binary': 'apps/server/src/storage/copy-binary.ts',
  staging: 'apps/server/src/storage/staging.ts',
  gaps: 'apps/server/src/storage/gaps.ts',
  'order-seal': 'apps/server/src/platform/order-seal.ts',
  audit: 'apps/server/src/db/',
  access: 'apps/server/src/http/access/',
  scope: 'apps/server/src/db/scope.ts',
  export: 'apps/server/src/features/readings/queries.ts',
} as const;

export type Promised = (typeof PROMISES)[number];

/** One deliberate fault in the product, and the tests that must detect it. */
export interface Mutant {
  /** Describes the fault in kebab case. */
  id: string;
  /** Violated guarantees; empty for other functions. */
  breaks: readonly Promised[];
  file: string;
  /** Occurs exactly once in the file; short, so that nearby changes do not affect it. */
  find: string;
  replace: string;
  /** The smallest set of test files that detects it. */
  tests: readonly string[];
  /** A regular expression for the names of the tests to run; undefined: all. */
  only?: string;
}

/** Number of occurrences of a text in another. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** The source of a file with the fault applied. Throws a `RangeError` unless the location is found exactly once. */
export function mutate(source: string, { id, file, find, replace }: Mutant): string {
  const places = countOf(source, find);
  if (places !== 1) throw new RangeError(`${id}: the text to find occurs ${places} times in ${file}`);
  return source.replace(find, () => replace);
}
