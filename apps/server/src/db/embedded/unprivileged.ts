import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lchownSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Listed in every /etc/passwd, where initdb and the single-user mode look up their user; the database server does not. */
const NOBODY = 65_534;
/** Uids that systemd reserves for dynamic users without an entry in /etc/passwd. */
const FIRST_UID = 61_184;
const UIDS = 65_520 - FIRST_UID;

/** User that the database runs as; undefined: the user of the head-end. */
export interface Identity {
  uid: number;
  gid: number;
}

const identityOf = (uid: number): Identity => ({ uid, gid: uid });

const isRoot = (): boolean => process.getuid?.() === 0;

/** User that initdb and the single-user mode run as. */
export const initIdentity = (): Identity | undefined => (isRoot() ? identityOf(NOBODY) : undefined);

/** PostgreSQL refuses to run as root. Each data folder gets a dedicated user, so that no other daemon can read its files. */
export function databaseIdentity(dataDir: string): Identity | undefined {
  if (!isRoot()) return undefined;
  const known = new Set(existsSync('/etc/passwd') ? uidsOf(readFileSync('/etc/passwd', 'utf8')) : []);
  const first = createHash('sha256').update(dataDir).digest().readUInt32BE(0);
  for (let step = 0; step < UIDS; step++) {
    const uid = FIRST_UID + ((first + step) % UIDS);
    if (known.has(uid)) continue;
    // Containers may map fewer uids.
    return canDo(identityOf(uid), 'true') ? identityOf(uid) : initIdentity();
  }
  return initIdentity();
}

const uidsOf = (passwd: string): number[] => passwd.split('\n').map((line) => Number(line.split(':')[2]));

/** Tests access by running a script as that user, because ACLs and mounts matter besides mode bits. */
export function canDo(identity: Identity | undefined, script: string, ...args: string[]): boolean {
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], { ...identity, cwd: '/', stdio: 'ignore', timeout: 20_000 });
  return result.status === 0;
}

/** Changes the owner of a folder recursively, without following symbolic links. */
export function changeOwner(identity: Identity, path: string): void {
  lchownSync(path, identity.uid, identity.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) changeOwner(identity, join(path, name));
}
