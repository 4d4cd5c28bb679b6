import { isOlder } from '#platform/versions.ts';

/** Whether a firmware may replace the present version: one that it names, or, where it names none, any version that is not newer. */
export const mayFollow = (present: string, { version, fromVersions }: { version: string; fromVersions: readonly string[] }): boolean =>
  fromVersions.length > 0 ? fromVersions.includes(present) : !isOlder(version, present);
