import { spawnSync } from 'node:child_process';

/** PostgreSQL refuses to run as root. `nobody` owns nothing else, so a fault in it reaches nothing else. */
const NOBODY = 65_534;

/** Under whom the database runs: undefined means as ourselves. */
export interface Identity {
  uid: number;
  gid: number;
}

export const databaseIdentity = (): Identity | undefined => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined);

/** Asks the system itself, by trying as that user: access lists and mounts count, not only mode bits. */
export function canDo(identity: Identity | undefined, script: string, ...args: string[]): boolean {
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], { ...identity, cwd: '/', stdio: 'ignore', timeout: 20_000 });
  return result.status === 0;
}
