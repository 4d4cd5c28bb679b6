import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPostgres, postgresPrograms, runStatements } from './installed-postgres.ts';
import { removeScratch, scratchFolder } from './scratch.ts';

const SETTINGS = {
  shared_preload_libraries: "'citus'",
  max_prepared_transactions: '200',
  max_connections: '300',
  'citus.shard_count': '2',
  logging_collector: 'on',
  log_destination: "'jsonlog'",
  log_filename: "'refused.log'",
};

/** Folder of the programs of a PostgreSQL that has Citus; undefined: there is none. */
export const citusPrograms = (): string | undefined => postgresPrograms('citus');

export interface CitusCluster {
  /** Address of a database of the coordinator, for the role that owns everything. */
  ownerUrl(database: string): string;
  /** Creates a database with the extension on the coordinator and its workers. */
  create(database: string): Promise<void>;
  /** Statements that Citus refused on the coordinator, with its reasons. */
  refused(): string[];
  stop(): Promise<void>;
}

/** Errors that plain PostgreSQL does not know: of the planner of Citus, or of a statement that it changed on its way to a worker. */
const REFUSAL =
  /distribut|push ?down|shard|colocat|co-located|immutable|correlated|local tables|column definition list|not supported|unsupported|intermediate result|recursive|lateral/i;

/** Refused statements in a JSON log of PostgreSQL, each once. */
function refusedIn(log: string): string[] {
  const refused = new Set<string>();
  for (const line of log.split('\n').filter(Boolean)) {
    // as: written by PostgreSQL
    const entry = JSON.parse(line) as { error_severity: string; message?: string; statement?: string };
    if (entry.error_severity !== 'ERROR' || !REFUSAL.test(entry.message ?? '')) continue;
    refused.add(`${entry.message}: ${(entry.statement ?? '').replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
  return [...refused];
}

/** Starts a coordinator with this many workers; without workers it keeps the shards itself. */
export async function startCitus(workers: number): Promise<CitusCluster> {
  const programs = citusPrograms();
  if (programs === undefined) throw new Error('No PostgreSQL with Citus is installed');
  const folders = Array.from({ length: workers + 1 }, () => scratchFolder('hes-citus-'));
  const nodes = await Promise.all(folders.map((folder) => installPostgres(programs, folder, { settings: SETTINGS })));
  for (const node of nodes) await node.start();
  const [coordinator, ...others] = nodes;
  if (coordinator === undefined) throw new Error('A cluster has a coordinator');
  return {
    ownerUrl: coordinator.urlOf,
    async create(database) {
      for (const node of nodes) {
        await runStatements(node.urlOf('postgres'), `create database ${database}`);
        await runStatements(node.urlOf(database), 'create extension citus');
      }
      if (others.length === 0) return;
      const joined = others.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`);
      await runStatements(coordinator.urlOf(database), `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`, ...joined);
    },
    refused: () => refusedIn(readFileSync(join(coordinator.folder, 'data/log/refused.json'), 'utf8')),
    async stop() {
      for (const node of nodes) await node.kill();
      for (const folder of folders) removeScratch(folder);
    },
  };
}
