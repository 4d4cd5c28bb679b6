import type { Action } from '@hes/contract/core/route.ts';
import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Database } from '#db/tables.ts';
import type { Bus } from '../platform/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';

export type Db = Kysely<Database>;
/** A transaction; queries that take a `Db` take it too. */
export type Tx = Transaction<Database>;

/** Settings of the utility, cached in memory. */
export interface Settings {
  /** IANA zone of the utility; local days and "today" follow it. */
  readonly timeZone: string;
}

/** Security rules of the installation. They come from the environment, because no user of the product may relax them. */
export interface InstallationRules {
  /** Minimum length of a new password, in characters. */
  passwordMin: number;
  /** Other machines can reach the server, and its fleet is not a demonstration: the strict defaults apply. */
  isExposed: boolean;
  /** HES_STRICT: all users need a second factor; overrides the setting. */
  isStrict?: boolean;
  /** The pages below /system/debug exist. */
  hasDebugPages: boolean;
}

/** Settings cached in memory; call `reload` after a change. */
export interface StoredSettings extends Settings {
  readonly rules: InstallationRules;
  reload(): Promise<void>;
}

/** Background jobs of head-end processes. Another process continues the jobs of one that dies. */
export interface Jobs {
  /** Inserts a job in the transaction of the record it concerns; `subject` is the id of that record. */
  order(tx: Tx, kind: string, subject: string): Promise<void>;
  /** Call after the commit: a worker of this process fetches the job immediately. */
  wake(kind: string): void;
}

/** Dependencies of every part of the server. The composition root passes them; they are never imported. */
export interface Context {
  db: Db;
  /** The pool under `db`, for COPY and advisory locks. */
  pool: Pool;
  /** Connections that keep their session, for notifications and locks of the process. Undefined: those of `pool` keep it. */
  direct?: Pool;
  clock: Clock;
  log: Log;
  settings: StoredSettings;
  bus: Bus;
  jobs: Jobs;
  /** Encrypts secrets before they are stored in the database. */
  secrets: Secrets;
}

/** What only programs have: users without password, session and own proof. */
export interface Program {
  /** Dangers that the account permits to order. */
  mayOrder: readonly string[];
  /** The token of the call; undefined in work that continues without one. */
  token?: { id: string; name: string };
}

/** A signed-in user with the rights that the roles grant. */
export interface User {
  id: string;
  username: string;
  name: string;
  sessionId: string;
  /** Epoch milliseconds; a refresh extends it. */
  sessionEndsAt?: number;
  mustChangePassword: boolean;
  /** Present: the user is a service account. */
  program?: Program;
  /** The user must have a second factor, and it is not set up yet. */
  mustEnrol?: boolean;
  /** Dangerous orders and approvals require a second factor, and it is not set up yet. */
  mustEnrolToOrder?: boolean;
  /** `path → action → area`: an action on a page is granted only in the areas of the roles that grant it. */
  actions: ReadonlyMap<string, ReadonlyMap<Action, Scope>>;
  /** Actions that the user has held for at least a day; only these permit dangerous orders. */
  rested?: ReadonlyMap<string, ReadonlyMap<Action, Scope>>;
  /** The area of the right that the call requires; for calls without a required right, the areas of all roles. */
  scope: Scope;
}

/** The whole network, or the subtrees of some nodes. An empty list of nodes contains nothing. */
export type Scope = { kind: 'whole' } | { kind: 'nodes'; levelIds: readonly string[]; transformerIds: readonly string[] };

/** The acting user and the address of the request, as recorded in the audit log. */
export interface Who {
  user: User;
  ip: string;
}
