/**
 * What a call that changes something endangers. `reach`: that devices still answer. `billing`: what a meter is billed by.
 * `safeguards`: limits, approvals and the emergency stop. `account`: the caller's own account; these calls carry password or code themselves.
 */
export const DANGERS = ['supply', 'reach', 'keys', 'billing', 'safeguards', 'rights', 'settings', 'account', 'nothing'] as const;
export type Danger = (typeof DANGERS)[number];

/** A field of the body with the value that makes the call ask for own proof; with another value it does not. */
export type ProofOnlyIf = Readonly<Record<string, string | boolean>>;

export interface Guard {
  /** The caller proves to be there: a code, or the password where no second factor is set up. */
  asksProof: boolean;
  /** Where a second factor is required for orders, the caller has one. */
  asksFactor: boolean;
  /** The right has been the caller's for a day, by every step in which it was given. */
  asksRestedRight: boolean;
  /** The emergency stop refuses the call. */
  isStopped: boolean;
  /** Each call leaves an audit row. */
  isRecorded: boolean;
}

const DEVICES: Guard = { asksProof: true, asksFactor: true, asksRestedRight: true, isStopped: true, isRecorded: true };
const ADMINISTRATION: Guard = { asksProof: true, asksFactor: false, asksRestedRight: true, isStopped: false, isRecorded: true };
const NONE: Guard = { asksProof: false, asksFactor: false, asksRestedRight: false, isStopped: false, isRecorded: false };

/** So many devices may one person take out of reach within an hour, by restart, factory reset, an emptied archive or parameters of the link. */
export const MAX_SILENCED_PER_HOUR = 10;
/** How long a right rests before it is used for dangerous acts. */
export const REST_HOURS = 24;

/** What follows from a danger. The server enforces it in one place, `apps/server/src/modules/guard`. */
export const GUARDS: Record<Danger, Guard> = {
  supply: DEVICES,
  reach: DEVICES,
  keys: DEVICES,
  billing: DEVICES,
  safeguards: { ...ADMINISTRATION, asksFactor: true },
  rights: ADMINISTRATION,
  settings: ADMINISTRATION,
  account: { ...NONE, isRecorded: true },
  nothing: NONE,
};
