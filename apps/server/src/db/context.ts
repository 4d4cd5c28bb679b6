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

/** Settings of the utility, held in memory. */
export interface Settings {
  /** IANA zone of the utility: shows days and decides what "today" is. */
  readonly timeZone: string;
}

/** What this installation asks for. It comes from the environment, so that no right in the product loosens it. */
export interface InstallationRules {
  /** Characters of the shortest password that may be set. */
  passwordMin: number;
  /** Other machines reach the server, and its fleet is no demonstration: the careful defaults hold. */
  isExposed: boolean;
  /** HES_STRICT: a second factor is asked of everybody, whatever the setting says. */
  isStrict?: boolean;
  /** The pages below /system/debug exist. */
  hasDebugPages: boolean;
}

/** Settings held in memory; `reload` after they were changed. */
export interface StoredSettings extends Settings {
  readonly rules: InstallationRules;
  reload(): Promise<void>;
}

/** Work that a process of the head-end does in the background, and another one continues when that process dies. */
export interface Jobs {
  /** In the transaction of what the job is about; `subject` is its id. */
  order(tx: Tx, kind: string, subject: string): Promise<void>;
  /** After the commit: a worker of this process takes it now. */
  wake(kind: string): void;
}

/** What every part of the server may use; handed over by the composition root, never imported. */
export interface Context {
  db: Db;
  /** The pool under `db`, for COPY and advisory locks. */
  pool: Pool;
  clock: Clock;
  log: Log;
  settings: StoredSettings;
  bus: Bus;
  jobs: Jobs;
  /** Encrypts what must not lie readable in the database. */
  secrets: Secrets;
}

/** Somebody signed in, with what the roles grant. */
export interface User {
  id: string;
  username: string;
  name: string;
  sessionId: string;
  /** Epoch milliseconds; a refresh moves it. */
  sessionEndsAt?: number;
  mustChangePassword: boolean;
  /** A second factor is required of the user and not set up yet. */
  mustEnrol?: boolean;
  /** A second factor is required for dangerous orders and approvals, and not set up yet. */
  mustEnrolToOrder?: boolean;
  /** `path → action → area`: an action on a page of the module tree counts in the areas of the roles that give it, and nowhere else. */
  actions: ReadonlyMap<string, ReadonlyMap<Action, Scope>>;
  /** Of these actions, those that have been the user's for a day: they alone count for dangerous acts. */
  rested?: ReadonlyMap<string, ReadonlyMap<Action, Scope>>;
  /** The area of the call: that of the right it needs. Of calls that need none, the areas of all roles. */
  scope: Scope;
}

/** The whole network, or what is at and under some nodes. No nodes: nothing at all. */
export type Scope = { kind: 'whole' } | { kind: 'nodes'; levelIds: readonly string[]; transformerIds: readonly string[] };

/** Who does something, and from where: what the audit log keeps of the person. */
export interface Who {
  user: User;
  ip: string;
}
