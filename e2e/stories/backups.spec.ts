import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { inDatabase } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const HOUR_S = 3600;
/** The schedule looks once a minute, and a copy is restored and read before it counts. */
const SCHEDULED_WITHIN_MS = 150_000;
const SERVER_CLOCK = path.resolve(import.meta.dirname, '../../tools/chaos/server-clock.mjs');
const COMMAND = path.resolve(import.meta.dirname, '../../apps/server/src/hes.ts');
const SMALL_DISK = '16m';

test.describe.configure({ mode: 'serial', timeout: 300_000 });
// Five verified backups take minutes: HES_E2E_LONG=on npm test -- e2e/stories/backups.spec.ts
test.skip(process.env['HES_E2E_LONG'] !== 'on', 'it takes minutes: set HES_E2E_LONG=on');

const scratch = mkdtempSync(path.join(tmpdir(), 'hes-backups-'));
chmodSync(scratch, 0o755);
const folder = path.join(scratch, 'backup');
const clockFile = path.join(scratch, 'clock');
let headEnd: HeadEnd;

/** Sets the clock of the head-end ahead of that of this machine. */
const setClockAhead = (seconds: number) => writeFileSync(clockFile, String(seconds * 1000));

test.beforeAll(async () => {
  test.setTimeout(180_000);
  mkdirSync(folder, { mode: 0o755 });
  setClockAhead(0);
  headEnd = await start({
    env: {
      HES_BACKUP_FOLDER: folder,
      HES_BACKUP_EVERY_H: '1',
      HES_BACKUP_WAL_S: '10',
      HES_CLOCK_AHEAD_FILE: clockFile,
      NODE_OPTIONS: `--import=${SERVER_CLOCK}`,
    },
  });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
  rmSync(scratch, { recursive: true, force: true });
});

const bases = () => readdirSync(path.join(folder, 'base')).filter((name) => !name.startsWith('.'));

interface BackupHealth {
  verifiedAgeSeconds: number | null;
  hasFailed: boolean;
  isTooOld: boolean;
}

async function healthOfBackups(): Promise<BackupHealth> {
  const answer = await fetch(`${headEnd.address}/api/health`);
  return ((await answer.json()) as { backup: BackupHealth }).backup; // as: the route's answer
}

const alarms = () =>
  inDatabase(headEnd, async (pool) => {
    const { rows } = await pool.query<{ message: string }>('select message from event where code = 60070 order by id');
    return rows.map(({ message }) => message);
  });

async function openPanel(page: Page) {
  await page.goto(`${headEnd.address}/hes/system/system-management/nodes`);
  return page.getByRole('region', { name: 'Backups' });
}

test('a backup is made and verified at once and after its interval, and page and health check tell its age', async ({ page }) => {
  await signIn(page, headEnd);
  const panel = await openPanel(page);
  await expect(panel.getByText(folder)).toBeVisible();
  await expect.poll(async () => (await healthOfBackups()).verifiedAgeSeconds, { timeout: SCHEDULED_WITHIN_MS }).not.toBeNull();
  await expect(panel.getByText('none')).toHaveCount(0);
  expect(bases()).toHaveLength(1);
  setClockAhead(HOUR_S + 60);
  await expect.poll(bases, { timeout: SCHEDULED_WITHIN_MS }).toHaveLength(2);
  // Nothing is being verified afterwards.
  await expect.poll(async () => (await healthOfBackups()).verifiedAgeSeconds, { timeout: SCHEDULED_WITHIN_MS }).toBeLessThan(HOUR_S);
  expect(await alarms()).toEqual([]);
});

test('a folder that is gone raises the alarm, and so does a verified backup that becomes too old', async ({ page }) => {
  await signIn(page, headEnd);
  const panel = await openPanel(page);
  const [base, aside] = [path.join(folder, 'base'), path.join(scratch, 'aside')];
  renameSync(base, aside);
  writeFileSync(base, '');
  setClockAhead(2 * HOUR_S + 120);
  await expect(panel.getByText(`The last backup failed: The backup into ${folder} failed`)).toBeVisible({ timeout: SCHEDULED_WITHIN_MS });
  expect((await healthOfBackups()).hasFailed).toBe(true);
  setClockAhead(4 * HOUR_S + 180);
  await expect.poll(async () => (await healthOfBackups()).isTooOld, { timeout: SCHEDULED_WITHIN_MS }).toBe(true);
  expect(await alarms()).toEqual([
    expect.stringContaining(`The backup into ${folder} failed`),
    expect.stringMatching(/The newest verified backup is 3 hours old, .*; 3 hours are allowed\./),
  ]);
  await signIn(page, headEnd);
  await openPanel(page);
  await expect(panel.getByText('The newest verified backup is too old')).toBeVisible();
  rmSync(base);
  renameSync(aside, base);
  setClockAhead(5 * HOUR_S + 240);
  await expect.poll(healthOfBackups, { timeout: SCHEDULED_WITHIN_MS }).toMatchObject({ hasFailed: false, isTooOld: false });
});

/** Runs the command as an operator does, and expects its exit code. Returns its lines. */
function hes(code: number, args: readonly string[], env: NodeJS.ProcessEnv = {}): string[] {
  const settings = { HES_DATA_DIR: headEnd.dataDir, HES_BACKUP_FOLDER: folder, HES_CLOCK_AHEAD_FILE: clockFile };
  const ran = spawnSync(process.execPath, [`--import=${SERVER_CLOCK}`, COMMAND, ...args], {
    env: { PATH: process.env['PATH'], ...settings, ...env },
    encoding: 'utf8',
  });
  expect(ran.status, `${args.join(' ')}: ${ran.stdout}${ran.stderr}`).toBe(code);
  return (code === 0 ? ran.stdout : ran.stderr).trim().split('\n');
}

/** A refusal is one line that says what to do. */
function refusal(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const lines = hes(1, args, env);
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

test('the command makes, lists and verifies backups, and refuses with one sentence', () => {
  const [made, note] = hes(0, ['backup']);
  const name = /^Backup (\S+): \d+ files, \d+ MiB in /.exec(made ?? '')?.[1] ?? '';
  expect(note).toContain('The master key is not in this backup');
  expect(hes(0, ['backups']).at(-1)).toMatch(new RegExp(`^${name}  ended .* not verified$`));
  expect(hes(0, ['verify', name])[0]).toMatch(
    new RegExp(`^Backup ${name} is good: it was restored and started, and its \\d+ tables were read`),
  );

  expect(refusal(['restore'])).toMatch(/another|running|in use/i);
  expect(refusal(['bakup'])).toBe('hes: "bakup" is no command. "hes --help" lists them.');
  expect(refusal(['restore', '--at', '2026-11-28 06:00'])).toContain('Write an instant with its zone');
  expect(refusal(['verify', 'none'])).toContain('"hes backups" lists the names');
  expect(refusal(['backup'], { HES_BACKUP_FOLDER: '' })).toContain('HES_BACKUP_FOLDER is empty');
  expect(refusal(['backup'], { DATABASE_URL: 'postgresql://x/y' })).toContain('Back up DATABASE_URL by tools of PostgreSQL');

  const damaged = path.join(folder, 'base', name, 'files/PG_VERSION');
  truncateSync(damaged);
  expect(refusal(['verify', name])).toBe(`hes: The backup is damaged: ${damaged} differs from the manifest. Use an earlier backup.`);
});

test('a full disk ends in one sentence', () => {
  const small = path.join(scratch, 'small');
  mkdirSync(small);
  test.skip(
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=755`, 'tmpfs', small]).status !== 0,
    'no disk can be mounted here',
  );
  try {
    expect(refusal(['backup'], { HES_BACKUP_FOLDER: small })).toBe(
      `hes: The disk that holds ${small} is full. Free some space, or set HES_BACKUP_FOLDER to a folder on another disk.`,
    );
    expect(readdirSync(path.join(small, 'base'))).toEqual([]);
    const into = { HES_DATA_DIR: small, HES_MASTER_KEY: readMasterKey(headEnd.dataDir).toString('hex') };
    expect(refusal(['restore'], into)).toMatch(
      /^hes: The disk that holds .* is full \(\d+ MB left\)\. Free at least 200 MB, or set HES_DATA_DIR /,
    );
  } finally {
    spawnSync('umount', [small]);
  }
});

test('a restore needs the master key, presses the emergency stop, and keeps the former database', async () => {
  const sound = hes(0, ['backups']).at(-2)?.split(' ')[0] ?? '';
  await inDatabase(headEnd, async (pool) => {
    await pool.query('create table of_this_test (id int)');
    await pool.query('select pg_switch_wal()');
  });
  await headEnd.stop();
  const key = path.join(headEnd.dataDir, 'master.key');
  renameSync(key, `${key}.away`);
  expect(refusal(['restore'])).toMatch(/^hes: .*Bring back master\.key \(key [0-9a-f]+\), or set HES_MASTER_KEY\.$/);
  renameSync(`${key}.away`, key);
  const [restored, kept] = hes(0, ['restore', sound]);
  expect(restored).toContain(`from backup ${sound}.`);
  expect(kept).toContain('The former database is kept in ');
  headEnd = await start({ dataDir: headEnd.dataDir });
  await inDatabase(headEnd, async (pool) => {
    expect((await pool.query('select from of_this_test')).rowCount).toBe(0);
    expect((await pool.query('select from relay_stop where released_at is null')).rowCount).toBe(1);
  });
});
