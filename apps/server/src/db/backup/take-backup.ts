import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '#platform/clock.ts';
import { StartError } from '#platform/start-error.ts';
import { tryBackupLock } from '../advisory-locks.ts';
import type { SocketConnection } from '../embedded/postmaster.ts';
import { findArchiveState, findContent, startCopy, stopCopy } from './backup-queries.ts';
import { copyCluster } from './copy-files.ts';
import { basesOf, filesOf, MANIFEST, MANIFEST_SUM, sha256Of, type Manifest } from './layout.ts';

const ARCHIVED_WITHIN_MS = 300_000;
const KEY_NOTE =
  'The master key is not in this backup. Without it the keys of the devices cannot be read: keep master.key, or the value of HES_MASTER_KEY, in another safe place.';

export interface BackupSource {
  /** The owner of the tables, who is the superuser of the built-in database. */
  owner: SocketConnection;
  cluster: string;
  /** Folder of backups and archive. */
  folder: string;
}

export async function connectTo({ socketDir: host, ...rest }: SocketConnection): Promise<pg.Client> {
  const client = new pg.Client({ ...rest, host, port: 5432, connectionTimeoutMillis: 10_000, application_name: 'hes backup' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const isFull = (error: unknown) => error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** A failure of a backup as one sentence. */
function explainBackup(error: unknown, folder: string): StartError {
  if (error instanceof StartError) return error;
  if (isFull(error))
    return new StartError(`The disk that holds ${folder} is full. Free some space, or set HES_BACKUP_FOLDER to a folder on another disk.`, {
      cause: error,
    });
  const text = error instanceof Error ? error.message : String(error);
  if (/statement timeout/.test(text))
    return new StartError(
      `The WAL of the backup was not archived within ${ARCHIVED_WITHIN_MS / 60_000} minutes. Look at the disk of ${folder} and at the log of the database (HES_LOG_LEVEL=debug).`,
      { cause: error },
    );
  return new StartError(`The backup into ${folder} failed: ${text}.`, { cause: error });
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(text);
  await handle.sync();
}

/** Name that sorts by time: 20261128T165700Z. */
const nameAt = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

async function copyInto(
  draft: string,
  client: pg.Client,
  { cluster }: BackupSource,
  { name, startedAt }: { name: string; startedAt: Date },
): Promise<Manifest> {
  const firstWal = await startCopy(client, name);
  const files = await copyCluster(cluster, filesOf(draft));
  const content = await findContent(client);
  const { lastWal, label } = await stopCopy(client, ARCHIVED_WITHIN_MS);
  await writeDurably(join(filesOf(draft), 'backup_label'), label);
  files.push({ path: 'backup_label', octets: Buffer.byteLength(label), sha256: sha256Of(label) });
  const postgres = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const times = { startedAt: startedAt.toISOString(), endedAt: new Date(systemClock.now()).toISOString() };
  return { format: 1, name, ...times, postgres, firstWal, lastWal, ...content, keyNote: KEY_NOTE, files };
}

/**
 * Copies the running database and appends a manifest with checksums; complete and durable when this returns. The WAL until the end of the copy
 * is archived. Throws `StartError` with the reason, and leaves no part behind.
 */
export async function takeBackup(source: BackupSource): Promise<Manifest> {
  const startedAt = new Date(systemClock.now());
  const name = nameAt(startedAt);
  const bases = basesOf(source.folder);
  const draft = join(bases, `.${name}.draft`);
  const client = await connectTo(source.owner);
  try {
    if (!(await findArchiveState(client)).isOn)
      throw new StartError('The head-end archives no WAL. Set HES_BACKUP_FOLDER in its settings, and start it again.');
    if (!(await tryBackupLock(client)) || existsSync(join(bases, name)))
      throw new StartError('Another backup is being made. Wait for its end.');
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    chmodSync(bases, 0o700);
    const manifest = await copyInto(draft, client, source, { name, startedAt });
    const text = `${JSON.stringify(manifest, null, 1)}\n`;
    await writeDurably(join(draft, MANIFEST), text);
    await writeDurably(join(draft, MANIFEST_SUM), `${sha256Of(text)}\n`);
    renameSync(draft, join(bases, name));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw explainBackup(error, source.folder);
  } finally {
    await client.end().catch(() => undefined);
  }
}
