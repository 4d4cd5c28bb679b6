import { StartError } from '#platform/start-error.ts';

const SENTENCES: [pattern: RegExp, sentence: (place: string) => string][] = [
  [
    /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i,
    (place) => `The disk that holds ${place} is full. Free some space, or set HES_DATA_DIR to a folder on another disk.`,
  ],
  [
    /EROFS|read-only file system/i,
    (place) => `The disk that holds ${place} is read-only. Set HES_DATA_DIR to a folder that can be written.`,
  ],
  [
    /permission denied|EACCES|EPERM|operation not permitted/i,
    (place) => `${place} cannot be written by this user. Give it the right (chown, chmod), or set HES_DATA_DIR to another folder.`,
  ],
  [
    /could not look up effective user|user does not exist/i,
    () => 'The user of this process has no entry in /etc/passwd, which the built-in database needs. Add one, or set DATABASE_URL.',
  ],
  [
    /could not (create|resize|map) shared memory|could not create semaphores/i,
    () => 'The system gives the built-in database no shared memory. Raise the limits (/dev/shm, kernel.shm*), or set DATABASE_URL.',
  ],
  [
    /database files are incompatible/i,
    (place) =>
      `The database in ${place} was created by another version of PostgreSQL. Start the version that created it, or set HES_DATA_DIR to another folder.`,
  ],
  [
    /error while loading shared libraries|not found \(required by|cannot execute|ENOEXEC/i,
    () => 'The built-in database does not run on this system. Set DATABASE_URL to a PostgreSQL 15 or newer.',
  ],
  [
    /could not locate a valid checkpoint|invalid .*pg_control|PANIC/i,
    (place) => `The database in ${place} is damaged. Restore it from a backup, or move the folder away to start with an empty database.`,
  ],
];

/** Maps a failure at `place` to an error that tells the operator what to do. */
export function explain(error: unknown, place: string): StartError {
  if (error instanceof StartError) return error;
  const text = error instanceof Error ? `${'code' in error ? String(error.code) : ''} ${error.message}` : String(error);
  const known = SENTENCES.find(([pattern]) => pattern.test(text));
  const lastLine = text.trim().split('\n').at(-1) ?? '';
  return new StartError(
    known?.[1](place) ?? `The built-in database in ${place} does not start: ${lastLine} (set DATABASE_URL to use one of your own).`,
    { cause: error },
  );
}
