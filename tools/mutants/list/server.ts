import type { Mutant } from '../mutant.ts';

const SEAL = { file: 'apps/server/src/platform/order-seal.ts', tests: ['apps/server/src/features/relay/refusal.test.ts'] };
const ADMINISTRATION = ['apps/server/test/administration.test.ts'];
const AREAS = ['apps/server/test/areas-of-rights.test.ts'];
const SCOPE = { file: 'apps/server/src/db/scope.ts', tests: ['apps/server/test/scope.test.ts'] };
const ACCESS = { file: 'apps/server/src/http/access/queries.ts', tests: AREAS };
const VALUES = { file: 'apps/server/src/features/readings/queries.ts', tests: ['apps/server/test/reading-units.test.ts'] };

/** Faults of the server around the field engine: seals, tamper-proof logs, rights, and figures of lists and files. */
export const SERVER_MUTANTS: readonly Mutant[] = [
  {
    id: 'forged-command-is-executed',
    breaks: ['G4'],
    ...SEAL,
    find: 'seal.length === one.length && timingSafeEqual(seal, one)',
    replace: 'seal.length === one.length && timingSafeEqual(seal, seal)',
  },
  {
    id: 'seal-does-not-cover-the-operation',
    breaks: ['G4'],
    ...SEAL,
    find: '  command.operation,\n  command.requestedBy,',
    replace: '  command.requestedBy,',
  },
  {
    id: 'seal-does-not-cover-the-approval',
    breaks: ['G4'],
    ...SEAL,
    find: '  command.needsApproval,\n  command.nonce,',
    replace: '  command.nonce,',
  },
  {
    id: 'changed-audit-entry-passes',
    breaks: [],
    file: 'apps/server/src/db/hash-chain.ts',
    find: 'return BigInt(row.id) < BigInt(keyedFrom) && row.hash.equals(keylessHashOf(previous, row.content));',
    replace: 'return row.hash.equals(keylessHashOf(previous, row.content));',
    tests: ['apps/server/test/chain-anchors.test.ts'],
  },
  {
    id: 'audit-entry-names-only-what-it-became',
    breaks: [],
    file: 'apps/server/src/db/audit.ts',
    find: 'return { before: only(before), after: only(after) };',
    replace: 'return { before: only(after), after: only(after) };',
    tests: ADMINISTRATION,
    only: 'is added, found, changed and deleted',
  },
  {
    id: 'changed-command-passes',
    breaks: ['G4'],
    file: 'apps/server/src/db/check-chain.ts',
    find: 'if (!continuesChain(db, { chain, previous, keyedFrom }, row))',
    replace: 'if (!row.prevHash.equals(previous))',
    tests: ['apps/server/test/chain-anchors.test.ts'],
  },
  {
    id: 'right-counts-in-the-areas-of-all-roles',
    breaks: [],
    ...ACCESS,
    find: 'scopes.get(key) ?? unionOf(some);',
    replace: 'scopes.get(key) ?? unionOf(roles);',
  },
  {
    id: 'locked-user-goes-on',
    breaks: [],
    ...ACCESS,
    find: ' and not u.lock and',
    replace: ' and',
    tests: ['apps/server/test/authorization-matrix.test.ts'],
    only: 'refuses a session',
  },
  {
    id: 'revoked-session-goes-on',
    breaks: [],
    ...ACCESS,
    find: 's.revoked_at is null and',
    replace: '',
    tests: ['apps/server/test/authorization-matrix.test.ts'],
    only: 'refuses a session',
  },
  {
    id: 'no-area-is-everything',
    breaks: [],
    ...SCOPE,
    find: 'conditions.length === 0 ? NOTHING :',
    replace: 'conditions.length === 0 ? EVERYTHING :',
    tests: ['apps/server/test/role-areas.test.ts', 'apps/server/test/areas-of-rights.test.ts', 'apps/server/test/scope.test.ts'],
  },
  {
    id: 'meter-belongs-to-the-area-of-its-dcu',
    breaks: [],
    ...SCOPE,
    find: 'coalesce(meter.transformer_id, dcu.transformer_id)',
    replace: 'dcu.transformer_id',
  },
  {
    id: 'area-is-the-level-alone',
    breaks: [],
    ...SCOPE,
    find: 'scope_level.path && ${[...levelIds]}::bigint[])`;',
    replace: 'scope_level.id = any(${[...levelIds]}::bigint[]))`;',
  },
  {
    id: 'energy-of-a-profile-ten-times-too-large',
    breaks: ['G3'],
    ...VALUES,
    find: 'Number(raw) / storedPerUnit',
    replace: "Number(raw) / (key === 'ePlus' ? 100 : storedPerUnit)",
  },
  {
    id: 'voltage-of-a-profile-in-millivolts',
    breaks: ['G3'],
    ...VALUES,
    find: 'Number(raw) / storedPerUnit',
    replace: "Number(raw) / (key === 'u1' ? 1 : storedPerUnit)",
  },
  {
    id: 'power-factor-of-another-phase',
    breaks: ['G3'],
    ...VALUES,
    find: 'const raw = row[camel(column)]',
    replace: "const raw = row[camel(key === 'pf2' ? 'pf3_milli' : column)]",
  },
  {
    id: 'phone-of-a-user-cannot-be-changed',
    breaks: [],
    file: 'apps/server/src/features/people/user/administer.ts',
    find: '...(phone === undefined ? {} : { phone }),\n    ...(email === undefined ? {} : { email }),\n    ...(mustChangePassword',
    replace: '...(email === undefined ? {} : { email }),\n    ...(mustChangePassword',
    tests: ADMINISTRATION,
    only: 'which is kept and can be changed',
  },
  {
    id: 'dcu-without-its-last-communication',
    breaks: [],
    file: 'apps/server/src/features/assets/dcu/queries.ts',
    find: 'lastCommAt: isoOrNull(row.lastCommAt),',
    replace: 'lastCommAt: isoOrNull(row.lastCommAt && null),',
    tests: ['apps/server/test/devices.test.ts'],
  },
  {
    id: 'every-second-year-is-every-year',
    breaks: [],
    file: 'packages/contract/src/schedule/expression.ts',
    find: 'const by = step === undefined ? 1 : Number(step);',
    replace: "const by = step === undefined || field === 'year' ? 1 : Number(step);",
    tests: ['packages/contract/src/schedule/runs.test.ts'],
  },
  {
    id: 'excellent-signal-begins-lower',
    breaks: [],
    file: 'packages/contract/src/states/signal.ts',
    find: 'value >= (limits[index] ?? Infinity)',
    replace: 'value >= (limits[index] ?? Infinity) - (index === 1 ? 3 : 0)',
    tests: ['packages/contract/src/states/states.test.ts'],
  },
];
