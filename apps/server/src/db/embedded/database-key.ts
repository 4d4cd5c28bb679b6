import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'database.key';
const OCTETS = 32;

/** Key from which the role passwords of the built-in database are derived. It never leaves the data folder. */
export interface DatabaseKey {
  /** True when this start created the key: the roles of an existing cluster still have other passwords. */
  isNew: boolean;
  passwordOf(role: string): string;
}

/** Reads the key from the data folder, or creates it (mode 0600). */
export function databaseKey(dataDir: string): DatabaseKey {
  const file = join(dataDir, FILE);
  const isNew = !existsSync(file);
  if (isNew) writeFileSync(file, `${randomBytes(OCTETS).toString('hex')}\n`, { mode: 0o600 });
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  return { isNew, passwordOf: (role) => Buffer.from(hkdfSync('sha256', key, 'hes database', role, OCTETS)).toString('hex') };
}
