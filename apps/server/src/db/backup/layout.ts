import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '#platform/start-error.ts';

/** One file of a base copy. `path` is relative to the cluster, with slashes. */
export interface CopiedFile {
  path: string;
  octets: number;
  sha256: string;
}

/** What a base copy contains and what it needs. */
export interface Manifest {
  format: 1;
  name: string;
  /** ISO 8601. */
  startedAt: string;
  endedAt: string;
  /** Major version of PostgreSQL. */
  postgres: string;
  /** First and last segment of the WAL without which the copy is not consistent. */
  firstWal: string;
  lastWal: string;
  /** Newest migration. */
  schema: string;
  /** Identifies the key that seals the secrets of the database. The key itself is not in the backup. */
  masterKeyId: string;
  keyNote: string;
  files: CopiedFile[];
}

/** Result of a restore into a scratch folder. */
export interface Verification {
  verifiedAt: string;
  /** Time of the last transaction that was replayed from the archive; null: none after the copy. */
  reachedAt: string | null;
  tables: number;
}

export interface Backup {
  name: string;
  folder: string;
  manifest: Manifest;
  verification: Verification | undefined;
}

export const basesOf = (folder: string): string => join(folder, 'base');
export const walOf = (folder: string): string => join(folder, 'wal');
export const filesOf = (backup: string): string => join(backup, 'files');
export const MANIFEST = 'manifest.json';
export const MANIFEST_SUM = 'manifest.sha256';
export const VERIFIED = 'verified.json';

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads a backup. Throws `StartError` if its manifest is missing or damaged. */
export function readBackup(folder: string, name: string): Backup {
  const own = join(basesOf(folder), name);
  const file = join(own, MANIFEST);
  if (!existsSync(file)) throw new StartError(`${own} holds no backup. "hes backups" lists the names.`);
  const text = readFileSync(file, 'utf8');
  const sum = existsSync(join(own, MANIFEST_SUM)) ? readFileSync(join(own, MANIFEST_SUM), 'utf8').trim() : '';
  if (sum !== sha256Of(text)) throw new StartError(`The backup ${own} is damaged: its manifest has another checksum. Use an earlier one.`);
  const verified = join(own, VERIFIED);
  return {
    name,
    folder: own,
    manifest: JSON.parse(text) as Manifest, // as: written by this program, as the checksum shows
    verification: existsSync(verified) ? (JSON.parse(readFileSync(verified, 'utf8')) as Verification) : undefined, // as: the same
  };
}

/** The complete backups of a folder, oldest first. Damaged ones are reported to `onDamaged` and left out. */
export function listBackups(folder: string, onDamaged: (error: unknown) => void = () => undefined): Backup[] {
  if (!existsSync(basesOf(folder))) return [];
  const names = readdirSync(basesOf(folder)).filter((name) => !name.startsWith('.'));
  return names.toSorted().flatMap((name) => {
    try {
      return [readBackup(folder, name)];
    } catch (error) {
      onDamaged(error);
      return [];
    }
  });
}
