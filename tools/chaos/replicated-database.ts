import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findBinaries } from '../../apps/server/src/db/embedded/binaries.ts';
import { ensureCluster, OWNER_ROLE } from '../../apps/server/src/db/embedded/cluster.ts';
import { databaseKey } from '../../apps/server/src/db/embedded/database-key.ts';
import { findPlace, socketFolder, type Place } from '../../apps/server/src/db/embedded/place.ts';
import { startPostmaster, untilReady, type Postmaster, type SocketConnection } from '../../apps/server/src/db/embedded/postmaster.ts';
import { databaseIdentity } from '../../apps/server/src/db/embedded/unprivileged.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';

/** Each head-end needs some thirty connections. */
const SETTINGS = { max_connections: '300', wal_keep_size: '512MB' };
const STANDBY = 'standby';
const PROMOTED_WITHIN_S = 30;

interface Member {
  place: Place;
  postmaster: Postmaster;
  owner: SocketConnection;
  removeSocket(): void;
}

const clientOf = ({ socketDir, ...owner }: SocketConnection): pg.Client => new pg.Client({ ...owner, host: socketDir });

/**
 * A primary of the built-in PostgreSQL with a streaming standby. A commit waits until the standby has it, unless its transaction chose not to
 * wait for the disk either.
 */
export class ReplicatedDatabase {
  readonly #dataDir: string;
  #primary: Member | undefined;
  #standby: Member | undefined;
  #copies = 0;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Connection to the server that accepts writes at present. */
  get owner(): SocketConnection {
    if (this.#primary === undefined) throw new Error('The database is not running');
    return this.#primary.owner;
  }

  async start(): Promise<void> {
    mkdirSync(this.#dataDir, { recursive: true });
    const place = findPlace(this.#dataDir, findBinaries(), databaseIdentity(this.#dataDir));
    const key = databaseKey(this.#dataDir);
    await ensureCluster(place, key);
    appendFileSync(join(place.cluster, 'pg_hba.conf'), 'local replication all scram-sha-256\n');
    const copy: Place = { ...place, cluster: `${place.cluster}-${STANDBY}` };
    spawnSync('cp', ['-a', place.cluster, copy.cluster]);
    const password = key.passwordOf(OWNER_ROLE);
    this.#primary = await this.#startMember(place, password, { synchronous_standby_names: STANDBY });
    this.#standby = await this.#follow(copy, this.#primary.owner);
  }

  /** Starts a copy of the primary as its standby. */
  #follow(copy: Place, { socketDir, user, password }: SocketConnection): Promise<Member> {
    const address = `host=${socketDir} port=5432 user=${user} password=${password} application_name=${STANDBY}`;
    // Settings of the primary are not those of its copy: a promoted one would wait for a standby that it does not have.
    writeFileSync(join(copy.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
    const signal = join(copy.cluster, 'standby.signal');
    writeFileSync(signal, '');
    if (copy.identity !== undefined) chownSync(signal, copy.identity.uid, copy.identity.gid);
    return this.#startMember(copy, password, {});
  }

  /** Gives the promoted primary a new standby, from a copy of its files while it runs, and makes commits wait for it again. */
  async addStandby(): Promise<void> {
    const primary = this.#primary;
    if (primary === undefined || this.#standby !== undefined) return;
    const { place, owner } = primary;
    const copy: Place = { ...place, cluster: `${place.cluster}-${++this.#copies}` };
    const client = clientOf(owner);
    await client.connect();
    try {
      await client.query("select pg_backup_start('standby', true)");
      // Files that vanish during the copy are those of the log, which the standby gets from the primary.
      spawnSync('cp', ['-a', place.cluster, copy.cluster]);
      const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop(false)');
      for (const name of ['postmaster.pid', 'postmaster.opts', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
        rmSync(join(copy.cluster, name), { force: true });
      const label = join(copy.cluster, 'backup_label');
      writeFileSync(label, rows[0]?.label ?? '');
      if (copy.identity !== undefined) chownSync(label, copy.identity.uid, copy.identity.gid);
      this.#standby = await this.#follow(copy, owner);
      await client.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
      await client.query('select pg_reload_conf()');
    } finally {
      await client.end();
    }
  }

  async #startMember(place: Place, password: string, extra: Record<string, string>): Promise<Member> {
    const socket = socketFolder(place);
    const owner = { socketDir: socket.path, database: 'postgres', user: OWNER_ROLE, password };
    const postmaster = startPostmaster(place, socket.path, createLog('silent'), { ...SETTINGS, ...extra });
    if (!(await untilReady(postmaster, owner))) throw new Error(`The database does not start: ${postmaster.lastWords()}`);
    return { place, postmaster, owner, removeSocket: () => socket.isTemporary && rmSync(socket.path, { recursive: true, force: true }) };
  }

  /** Kills the primary and promotes the standby. Returns when the standby accepts writes; there is none after it. */
  async failOver(): Promise<void> {
    const [former, next] = [this.#primary, this.#standby];
    if (former === undefined || next === undefined) throw new Error('There is no standby to promote');
    process.kill(Number(readFileSync(join(former.place.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
    await former.postmaster.ended;
    former.removeSocket();
    const client = clientOf(next.owner);
    await client.connect();
    await client.query('select pg_promote(true, $1)', [PROMOTED_WITHIN_S]);
    await client.end();
    this.#primary = next;
    this.#standby = undefined;
  }

  async stop(): Promise<void> {
    // The primary waits for its standby, which therefore stops last.
    for (const member of [this.#primary, this.#standby]) {
      await member?.postmaster.stop();
      member?.removeSocket();
    }
  }
}
