import type { Pool } from 'pg';
import type { CommissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import type { Deadline } from './deadline.ts';
import type { FieldTally } from './field.ts';
import type { Answer } from './operators.ts';

export interface SubjectOptions {
  seed: number;
  /** In the form of SIM_SCALE. */
  scale: string;
  /** Number of direct meters besides. */
  direct: number;
  /** Keeps the folders of the run. */
  keep: boolean;
  /** Changes the commissioning file before its import. */
  commission?(file: CommissioningFile): void;
}

/** What a campaign tortures: one head-end or several, with their database and a simulated field, over scratch folders. */
export interface Subject {
  readonly folder: string;
  readonly oracleFile: string;
  readonly logFile: string;
  readonly options: SubjectOptions;
  readonly pool: Pool;
  /** Port to which devices connect. */
  readonly dlmsPort: number;
  start(foreign?: { sn: string; port: number }): Promise<void>;
  /** Time of the product and of the field, which may be ahead of real time. */
  now(): number;
  /** Moves all clocks forward. */
  pass(ms: number): Promise<void>;
  /** Runs a query and retries it while the database is unavailable. */
  rows<Row extends object>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** A time limit for the head-ends and the simulated field. */
  deadline(limitMs: number): Deadline;
  /** Calls the simulator's control API. */
  field(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  tally(): Promise<FieldTally>;
  /** Calls the API as a user, who may switch this number of supplies by it. Undefined without a response: the outcome is then unknown. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, switches?: number): Promise<Answer>;
  stop(): Promise<void>;
  /** Removes the folders. The oracle log is complete only after the end of the simulator. */
  remove(): void;
}
