/**
 * Dangers of calls that change something. `reach`: devices may become unreachable. `billing`: values from which bills are made.
 * `safeguards`: limits, approvals and the emergency stop. `account`: the caller's own account; such calls carry password or code themselves.
 */
export const DANGERS = ['supply', 'reach', 'keys', 'billing', 'safeguards', 'rights', 'settings', 'account', 'nothing'] as const;
export type Danger = (typeof DANGERS)[number];

/** Field and value of the body for which the call requires own proof; with other values it does not. */
export type ProofOnlyIf = Readonly<Record<string, string | boolean>>;

/** Whether programs may make such calls: always, if their account permits it, or never, because a person decides. */
export type ProgramRule = 'always' | 'if-permitted' | 'never';

export interface Guard {
  /** Requires own proof: a code, or the password if no second factor is set up. */
  asksProof: boolean;
  /** Requires a second factor if the installation demands one for orders. */
  asksFactor: boolean;
  /** Requires a rested right: each step that gave it to the caller is at least `REST_HOURS` old. */
  asksRestedRight: boolean;
  /** Refused while the emergency stop is active. */
  isStopped: boolean;
  /** Writes an audit row for each call. */
  isRecorded: boolean;
  programs: ProgramRule;
}

const DEVICES: Guard = {
  asksProof: true,
  asksFactor: true,
  asksRestedRight: true,
  isStopped: true,
  isRecorded: true,
  programs: 'if-permitted',
};
const ADMINISTRATION: Guard = {
  asksProof: true,
  asksFactor: false,
  asksRestedRight: true,
  isStopped: false,
  isRecorded: true,
  programs: 'never',
};
const NONE: Guard = {
  asksProof: false,
  asksFactor: false,
  asksRestedRight: false,
  isStopped: false,
  isRecorded: false,
  programs: 'always',
};

/** Maximum number of devices one user may make unreachable per hour: by restart, factory reset, clearing an archive, or link parameters. */
export const MAX_SILENCED_PER_HOUR = 10;
/** Minimum age in hours of a right that orders or approves dangerous acts. */
export const REST_HOURS = 24;

/** Requirements by danger; the guard of the server enforces them for all routes. */
export const GUARDS: Record<Danger, Guard> = {
  supply: DEVICES,
  reach: DEVICES,
  keys: DEVICES,
  billing: DEVICES,
  safeguards: { ...ADMINISTRATION, asksFactor: true },
  rights: ADMINISTRATION,
  settings: ADMINISTRATION,
  account: { ...NONE, isRecorded: true, programs: 'never' },
  nothing: NONE,
};

/** Dangers that the account of a program can permit. A program cannot give own proof; the permission of its account replaces it. */
export const PROGRAM_DANGERS = ['supply', 'reach', 'keys', 'billing'] as const satisfies readonly Danger[];
export type ProgramDanger = (typeof PROGRAM_DANGERS)[number];

/** Whether a program whose account permits these dangers may make a call. Approvals are decisions of persons. */
export function mayProgram(
  { v1, allow, endangers = 'nothing' }: { v1?: unknown; allow: unknown; endangers?: Danger },
  permitted: readonly string[],
): boolean {
  const isApproval = typeof allow === 'object' && allow !== null && 'action' in allow && allow.action === 'approve';
  if (v1 === undefined || isApproval) return false;
  return isDangerPermitted(endangers, permitted);
}

/** Whether the account of a program permits this danger. */
export const isDangerPermitted = (danger: Danger, permitted: readonly string[]): boolean =>
  GUARDS[danger].programs === 'always' || (GUARDS[danger].programs === 'if-permitted' && permitted.includes(danger));
