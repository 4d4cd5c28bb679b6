import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBinaries } from '#db/embedded/binaries.ts';
import { checkBeforeUpgrade } from './preflight.ts';

const KEY = '5a'.repeat(32);
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hes-preflight-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const check = (masterKey?: string) => checkBeforeUpgrade({ dataDir, masterKey, databaseUrl: undefined, databaseOwnerUrl: undefined });

function writeCluster(major: string): void {
  mkdirSync(join(dataDir, 'pg/cluster'), { recursive: true });
  writeFileSync(join(dataDir, 'pg/cluster/PG_VERSION'), `${major}\n`);
}

test('a machine without data can be upgraded', async () => {
  expect(await check()).toEqual({ migrations: [] });
});

test('a database of another PostgreSQL stops the upgrade, with both versions named', async () => {
  const [own = ''] = findBinaries().version.split('.');
  writeCluster('16');
  await expect(check(KEY)).rejects.toThrow(new RegExp(`PostgreSQL 16, and this version brings ${own}`));
});

test('a database without its master key stops the upgrade', async () => {
  writeCluster(findBinaries().version.split('.')[0] ?? '');
  await expect(check()).rejects.toThrow('HES_MASTER_KEY');
});

test('a head-end that does not run cannot be asked', async () => {
  writeCluster(findBinaries().version.split('.')[0] ?? '');
  await expect(check(KEY)).rejects.toThrow('does not run');
});

test('an external database that cannot be reached stops the upgrade', async () => {
  const databaseUrl = 'postgresql://hes@127.0.0.1:1/hes';
  await expect(checkBeforeUpgrade({ dataDir, masterKey: KEY, databaseUrl, databaseOwnerUrl: undefined })).rejects.toThrow(
    'cannot be asked',
  );
});
