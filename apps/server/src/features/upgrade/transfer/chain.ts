import { isOlder } from '#platform/versions.ts';

/** Whether a firmware may follow what runs: a version it names, or, where it names none, one that is not newer than itself. */
export const mayFollow = (present: string, { version, fromVersions }: { version: string; fromVersions: readonly string[] }): boolean =>
  fromVersions.length > 0 ? fromVersions.includes(present) : !isOlder(version, present);
