import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '#platform/start-error.ts';
import type { CopiedFile } from './layout.ts';

const CHUNK_OCTETS = 1 << 20;
/** PostgreSQL fills these folders itself when it starts (manual, "Making a Base Backup"). */
const EMPTY_FOLDERS = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'];
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|\.s\.PGSQL\..*|pgsql_tmp.*|pg_internal\.init.*)$/;
/** It says from where to recover, so it is copied after all other files. */
const CONTROL = 'global/pg_control';

/** Files of a running cluster that belong to its base copy, as relative paths; and the folders, including empty ones. */
function filesOfCluster(cluster: string): { folders: string[]; files: string[] } {
  const folders: string[] = [];
  const files: string[] = [];
  const visit = (relative: string) => {
    for (const entry of readdirSync(join(cluster, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (LEFT_OUT.test(entry.name)) continue;
      if (entry.isFile()) files.push(path);
      if (!entry.isDirectory()) continue;
      folders.push(path);
      if (!EMPTY_FOLDERS.includes(path)) visit(path);
    }
  };
  visit('');
  return { folders, files: [...files.filter((path) => path !== CONTROL), CONTROL] };
}

async function pour(from: FileHandle, to: FileHandle, isDurable: boolean): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_OCTETS);
  let octets = 0;
  for (;;) {
    const { bytesRead } = await from.read(chunk, 0, CHUNK_OCTETS, octets);
    if (bytesRead === 0) break;
    const part = chunk.subarray(0, bytesRead);
    hash.update(part);
    await to.writeFile(part);
    octets += bytesRead;
  }
  if (isDurable) await to.sync();
  return { octets, sha256: hash.digest('hex') };
}

/** Copies one file and makes it durable, unless the copy is for a test. */
async function copyFile(source: string, target: string, isDurable = true): Promise<Omit<CopiedFile, 'path'>> {
  await using from = await open(source, 'r');
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using to = await open(target, 'wx', 0o600);
  return await pour(from, to, isDurable);
}

/** Copies a running cluster. Files that are deleted meanwhile are left out: recovery deletes them as well. */
export async function copyCluster(cluster: string, target: string): Promise<CopiedFile[]> {
  const { folders, files } = filesOfCluster(cluster);
  for (const folder of folders) await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
  const copied: CopiedFile[] = [];
  for (const path of files) {
    try {
      copied.push({ path, ...(await copyFile(join(cluster, path), join(target, path))) });
    } catch (error) {
      if (existsSync(join(cluster, path))) throw error;
    }
  }
  return copied;
}

/** Copies the files of a backup and compares each with the manifest. Throws `StartError` for the first one that differs. */
export async function copyBackup(source: string, target: string, files: readonly CopiedFile[], isDurable: boolean): Promise<void> {
  for (const { folder } of EMPTY_FOLDERS.map((name) => ({ folder: join(target, name) })))
    await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { path, octets, sha256 } of files) {
    const file = join(source, path);
    if (!existsSync(file)) throw new StartError(`The backup is damaged: ${file} is missing. Use an earlier backup.`);
    const copied = await copyFile(file, join(target, path), isDurable);
    if (copied.sha256 !== sha256 || copied.octets !== octets)
      throw new StartError(`The backup is damaged: ${file} differs from the manifest. Use an earlier backup.`);
  }
  for (const folder of [
    'pg_tblspc',
    'pg_twophase',
    'pg_commit_ts',
    'pg_logical/snapshots',
    'pg_logical/mappings',
    'pg_wal/archive_status',
    'pg_wal/summaries',
    'pg_stat',
  ])
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
}
