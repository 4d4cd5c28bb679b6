import { accessSync, constants, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Creates the data folder and checks that it is writable. */
export function openDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (codeOf(error) === 'ENOSPC')
      throw new StartError(`The disk that holds ${dataDir} is full. Free some space, or set HES_DATA_DIR to a folder on another disk.`, {
        cause: error,
      });
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR')
      throw new StartError(`${dataDir} is not a folder. Set HES_DATA_DIR to a folder.`, { cause: error });
    throw new StartError(
      `The data folder ${dataDir} cannot be written by this user. Give it the right (chown, chmod), or set HES_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

/** Start time of a process, which distinguishes it from a later process with the same pid. */
function beginningOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

function isHolderAlive(text: string): boolean {
  const [pidText, began] = text.trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform === 'linux') return beginningOf(pid) === began;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Locks the data folder for this server. Returns a function that releases the lock. */
export function lockDataFolder(dataDir: string): () => void {
  const file = join(dataDir, 'server.lock');
  const mine = `${process.pid} ${beginningOf(process.pid) ?? ''}\n`;
  for (let tries = 0; tries < 3; tries++) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      return () => {
        if (existsSync(file) && readFileSync(file, 'utf8') === mine) unlinkSync(file);
      };
    } catch (error) {
      if (codeOf(error) === 'ENOSPC')
        throw new StartError(`The disk that holds ${dataDir} is full. Free some space, or set HES_DATA_DIR to a folder on another disk.`, {
          cause: error,
        });
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const holder = readFileSync(file, 'utf8');
    if (isHolderAlive(holder)) {
      throw new StartError(
        `Another head-end (process ${holder.split(' ')[0]}) already uses the data folder ${dataDir}. Stop it, or set HES_DATA_DIR to another folder.`,
      );
    }
    unlinkSync(file);
  }
  throw new StartError(`The lock file ${file} cannot be taken. Remove it when no head-end runs.`);
}

const keyFile = (dataDir: string): string => join(dataDir, 'master.key');

/** Master key of all stored secrets: from the environment, otherwise from a file; undefined if there is none yet. */
export function findMasterKey(dataDir: string, given?: string): Buffer | undefined {
  if (given !== undefined) return Buffer.from(given, 'hex');
  return existsSync(keyFile(dataDir)) ? readMasterKey(dataDir) : undefined;
}

/** Master key in the data folder of an installation that has started before. */
export const readMasterKey = (dataDir: string): Buffer => readKey(keyFile(dataDir));

/** Stores the master key of a new installation in a file with mode 0600. */
export function keepMasterKey(dataDir: string, key: Buffer): void {
  writeFileSync(keyFile(dataDir), `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
}

function readKey(file: string): Buffer {
  const text = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new StartError(
      `${file} is damaged: it must hold 64 hex digits. Restore it from your backup; without it the stored device keys cannot be read.`,
    );
  return Buffer.from(text, 'hex');
}

/** The key that the master key replaces: from the environment, otherwise from `master.key.previous`; undefined without a rotation. */
export function previousMasterKey(dataDir: string, given: string | undefined): Buffer | undefined {
  if (given !== undefined) return Buffer.from(given, 'hex');
  const file = join(dataDir, 'master.key.previous');
  return existsSync(file) ? readKey(file) : undefined;
}
