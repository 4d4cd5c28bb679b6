import { existsSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#platform/log.ts';
import { removeScratch, scratchFolder } from '../../../test/scratch.ts';
import { findBinaries } from '../embedded/binaries.ts';
import { findPlace, type Place } from '../embedded/place.ts';
import { startEmbedded, type EmbeddedDatabase } from '../embedded/supervisor.ts';
import { databaseIdentity } from '../embedded/unprivileged.ts';
import { filesOf, listBackups, type Manifest } from './layout.ts';
import { pruneBackups } from './prune.ts';
import { restoreBackup, verifyBackup } from './restore-backup.ts';
import { connectTo, takeBackup } from './take-backup.ts';
import { archiveSettings, checkSegments, listSegments, openArchive, segmentFile } from './wal-archive.ts';

const DAY_MS = 86_400_000;
const KEY = 'a1b2c3';

let root: string;
let folder: string;
let dataDir: string;
let place: Place;
let database: EmbeddedDatabase | undefined;
let client: Client;
let manifest: Manifest;
let between: Date;

async function start(): Promise<void> {
  database = await startEmbedded(dataDir, silentLog, ({ identity }) => archiveSettings(openArchive(folder, identity), 30));
  client = await connectTo(database.owner);
}

async function stop(): Promise<void> {
  await client.end().catch(() => undefined);
  await database?.stop();
  database = undefined;
}

const insert = (what: string) => client.query('insert into note values ($1)', [what]);
const notes = async () => (await client.query<{ what: string }>('select what from note order by what')).rows.map(({ what }) => what);

beforeAll(async () => {
  root = scratchFolder('hes-backup-');
  [folder, dataDir] = [join(root, "it's a folder"), join(root, 'data')];
  for (const path of [folder, dataDir]) mkdirSync(path, { mode: 0o755 });
  await start();
  place = findPlace(dataDir, findBinaries(), databaseIdentity(dataDir));
  await client.query(`create table note (what text primary key); create table schema_migration (name text);
    create table relay_stop (reason text not null, stopped_by bigint not null, released_at timestamptz);
    create unique index on relay_stop ((true)) where released_at is null;
    create table outbox_kind (kind text, epoch integer not null default 0, began_at timestamptz); insert into outbox_kind values ('readings', 3);
    create table master_key (key_id text, state text); insert into master_key values ('${KEY}', 'current');
    insert into schema_migration values ('0001_first.sql')`);
  await insert('a: before the copy');
  manifest = await takeBackup({ owner: database?.owner as never, cluster: place.cluster, folder }); // as: it was started above
  await insert('b: after the copy');
  await wait(50);
  between = new Date();
  await wait(50);
  await insert('c: later');
  await client.query('select pg_switch_wal()');
  await stop();
}, 120_000);
afterAll(async () => {
  await stop();
  removeScratch(root);
});

test('a backup lists its files with checksums and says that the master key is elsewhere', () => {
  expect(manifest).toMatchObject({ format: 1, postgres: '18', schema: '0001_first.sql', masterKeyId: KEY });
  expect(manifest.keyNote).toContain('The master key is not in this backup');
  expect(manifest.files.at(-1)?.path).toBe('backup_label');
  expect(manifest.files.map(({ path }) => path)).toContain('global/pg_control');
  const [backup] = listBackups(folder);
  expect(backup?.manifest).toEqual(manifest);
  // Neither keys of the data folder nor temporary files.
  expect(readdirSync(filesOf(backup?.folder ?? '')).filter((name) => /key|postmaster/.test(name))).toEqual([]);
});

test('a verified backup was started, and its tables were read with everything that the archive holds', async () => {
  const { verification } = await verifyBackup({ folder, name: undefined }, place, silentLog);
  expect(verification.tables).toBe(5);
  expect(new Date(verification.reachedAt ?? 0).getTime()).toBeGreaterThan(between.getTime());
  expect(listBackups(folder)[0]?.verification).toEqual(verification);
  expect(readdirSync(folder).filter((name) => name.startsWith('.verify'))).toEqual([]);
}, 120_000);

test('a restore ends at the given instant, keeps the former database, and starts with its passwords', async () => {
  const { keptAs } = await restoreBackup({ folder, name: undefined, until: between, dataDir, place, masterKeyId: KEY }, silentLog);
  expect(existsSync(join(keptAs ?? '', 'PG_VERSION'))).toBe(true);
  await start();
  expect(await notes()).toEqual(['a: before the copy', 'b: after the copy']);
  const { rows: stops } = await client.query<{ reason: string }>('select reason from relay_stop where released_at is null');
  expect(stops.map(({ reason }) => reason)).toEqual([expect.stringContaining('Look at the open orders, then release the stop.')]);
  expect((await client.query('select epoch from outbox_kind')).rows).toEqual([{ epoch: 4 }]);
  await stop();
  await restoreBackup({ folder, name: manifest.name, until: undefined, dataDir, place, masterKeyId: KEY }, silentLog);
  await start();
  expect(await notes()).toEqual(['a: before the copy', 'b: after the copy', 'c: later']);
  await stop();
}, 180_000);

test('a restore without the right master key, before the first backup or after the archive is refused with a sentence', async () => {
  const wish = { folder, name: undefined, until: undefined, dataDir, place };
  const restore = (more: object) => restoreBackup({ ...wish, masterKeyId: KEY, ...more }, silentLog);
  await expect(restore({ masterKeyId: undefined })).rejects.toThrow(`Bring back master.key (key ${KEY}), or set HES_MASTER_KEY.`);
  await expect(restore({ masterKeyId: 'ffff' })).rejects.toThrow('sealed with the master key a1b2c3, and this is ffff');
  await expect(restore({ until: new Date(0) })).rejects.toThrow('No backup ended before 1970-01-01T00:00:00.000Z; the first one ended at');
  await expect(restore({ until: new Date(Date.now() + DAY_MS) })).rejects.toThrow(
    /The archive .* ends before .*; its last transaction is of/,
  );
  await expect(restore({ folder: join(root, 'empty') })).rejects.toThrow('holds no backup. Make one by "hes backup"');
  expect(existsSync(`${place.cluster}.restored`)).toBe(false);
}, 120_000);

test('backups beyond their age are deleted with their WAL, except the last two and the last verified one', () => {
  const now = Date.now() + 30 * DAY_MS;
  expect(pruneBackups(folder, 14, now)).toEqual({ backups: [], segments: expect.any(Number) as number });
  expect(listSegments(folder)).toContain(manifest.lastWal);
});

test('damage of a file, of the manifest or of the archive is found before anything is started', async () => {
  const verify = () => verifyBackup({ folder, name: manifest.name }, place, silentLog);
  const last = listSegments(folder).at(-1) ?? '';
  const content = readFileSync(segmentFile(folder, last));
  truncateSync(segmentFile(folder, last), 100);
  await expect(verify()).rejects.toThrow(/The WAL segment .* is damaged. Restore to a time before it/);
  writeFileSync(segmentFile(folder, last), content);
  await expect(checkSegments(folder, '000000010000000000000000', last)).rejects.toThrow('lacks the WAL segment 000000010000000000000000');

  const [{ folder: own } = { folder: '' }] = listBackups(folder);
  const version = join(filesOf(own), 'PG_VERSION');
  writeFileSync(version, '17\n');
  await expect(verify()).rejects.toThrow(/PG_VERSION differs from the manifest. Use an earlier backup/);
  writeFileSync(join(own, 'manifest.json'), '{}');
  await expect(verify()).rejects.toThrow('is damaged: its manifest has another checksum');
}, 120_000);
