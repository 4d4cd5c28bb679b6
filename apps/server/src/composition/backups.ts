import type { BackupState } from '@hes/contract/manager/backup.ts';
import { findArchiveState } from '#db/backup/backup-queries.ts';
import { listBackups, type Backup } from '#db/backup/layout.ts';
import { pruneBackups } from '#db/backup/prune.ts';
import { verifyBackup } from '#db/backup/restore-backup.ts';
import { takeBackup } from '#db/backup/take-backup.ts';
import type { Context } from '#db/context.ts';
import { findBinaries } from '#db/embedded/binaries.ts';
import { findPlace } from '#db/embedded/place.ts';
import { databaseIdentity } from '#db/embedded/unprivileged.ts';
import type { Config } from '#platform/config.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { explainOldBackup, REPEATED_AFTER_MS } from './backup-age.ts';
import type { RunningDatabase } from './database.ts';

/** Each look reads the manifests of all backups. */
const LOOK_EVERY_MS = 60_000;
/** After a failure: a disk that is full stays so for a while. */
const RETRY_AFTER_MS = 3_600_000;
/** Code in the log of the head-end. */
const BACKUP_FAILS = 60_070;

type BackupContext = Pick<Context, 'pool' | 'settings' | 'clock' | 'log'>;
type Own = NonNullable<RunningDatabase['own']>;
type BackupSettings = NonNullable<Config['backup']>;

export interface Backups {
  state(): BackupState;
  /** Makes and verifies a backup now, or joins the one that is being made. */
  runNow(): Promise<void>;
  stop(): Promise<void>;
}

const isoOf = (at: Date | undefined): string | null => at?.toISOString() ?? null;

function stateOfFolder(all: readonly Backup[]): Pick<BackupState, 'newestAt' | 'verifiedAt'> {
  return {
    newestAt: all.at(-1)?.manifest.endedAt ?? null,
    verifiedAt: all.findLast(({ verification }) => verification !== undefined)?.manifest.endedAt ?? null,
  };
}

/** Makes, verifies and deletes backups of the built-in database on schedule, and knows how they stand. */
class Schedule {
  readonly #ctx: BackupContext;
  readonly #settings: BackupSettings;
  readonly #own: Own;
  readonly #dataDir: string;
  readonly #events: EventWriter;
  readonly #startedMs: number;
  #state: BackupState;
  #failedAtMs: number | undefined;
  #oldReportedMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, { settings, own, dataDir }: { settings: BackupSettings; own: Own; dataDir: string }) {
    this.#ctx = ctx;
    this.#settings = settings;
    this.#own = own;
    this.#dataDir = dataDir;
    this.#events = new EventWriter(ctx);
    this.#startedMs = ctx.clock.now();
    const none = { newestAt: null, verifiedAt: null, failure: null, archiveFailedSince: null, isTooOld: false };
    this.#state = { kind: 'on', folder: settings.folder, ...none };
    this.#state = this.#withFolder();
  }

  get state(): BackupState {
    return this.#state;
  }

  /** The state with what the folder holds now. A folder that cannot be read leaves what was known; the next backup fails then. */
  #withFolder(): BackupState {
    const { log } = this.#ctx;
    try {
      const all = listBackups(this.#settings.folder, (error) => log.warn('A backup is damaged', { error }));
      return { ...this.#state, ...stateOfFolder(all) };
    } catch (error) {
      log.warn('The folder of the backups cannot be read', { error });
      return this.#state;
    }
  }

  /** Backups of the command line count as well. */
  async look(): Promise<void> {
    const archive = await findArchiveState(this.#ctx.pool);
    this.#state = { ...this.#withFolder(), archiveFailedSince: isoOf(archive.failedSince ?? undefined) };
    if (this.#isDue()) await this.run();
    await this.#judgeAge();
  }

  /** Raises the alarm while the newest verified backup is too old: once, and again each day. */
  async #judgeAge(): Promise<void> {
    const now = this.#ctx.clock.now();
    const message = explainOldBackup(this.#state, { everyMs: this.#settings.everyMs, nowMs: now, startedMs: this.#startedMs });
    this.#state = { ...this.#state, isTooOld: message !== undefined };
    if (message === undefined || now - this.#oldReportedMs < REPEATED_AFTER_MS) return;
    this.#ctx.log.warn('The newest verified backup is too old', { reason: message });
    await storeOwnEvent(this.#events, { code: BACKUP_FAILS, occurAt: now, message });
    this.#oldReportedMs = now;
  }

  #isDue(): boolean {
    const { everyMs } = this.#settings;
    const now = this.#ctx.clock.now();
    if (everyMs === 0 || (this.#failedAtMs !== undefined && now - this.#failedAtMs < RETRY_AFTER_MS)) return false;
    return this.#state.newestAt === null || now - Date.parse(this.#state.newestAt) >= everyMs;
  }

  async run(): Promise<void> {
    const { folder, keepDays } = this.#settings;
    const { log, clock } = this.#ctx;
    try {
      const { name } = await takeBackup({ ...this.#own, folder });
      const place = findPlace(this.#dataDir, findBinaries(), databaseIdentity(this.#dataDir));
      const { verification } = await verifyBackup({ folder, name }, place, log);
      const deleted = pruneBackups(folder, keepDays, clock.now());
      log.info('A backup was made and verified', { name, tables: verification.tables, deleted: deleted.backups });
      this.#failedAtMs = undefined;
      this.#state = { ...this.#withFolder(), failure: null };
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Raises the alarm of the head-end once for failures in a row. */
  async #fail(error: unknown): Promise<void> {
    const { log, clock } = this.#ctx;
    const message = error instanceof Error ? error.message : String(error);
    const isFirst = this.#state.failure === null;
    const now = clock.now();
    this.#failedAtMs = now;
    this.#state = { ...this.#withFolder(), failure: message };
    log.error('The backup failed', { error });
    if (isFirst) await storeOwnEvent(this.#events, { code: BACKUP_FAILS, occurAt: now, message });
  }
}

/** Starts the schedule of backups; without HES_BACKUP_FOLDER, or with an external database, there is only a state. */
export function startBackups(
  ctx: Context,
  { backup: settings, dataDir }: Pick<Config, 'backup' | 'dataDir'>,
  own: Own | undefined,
): Backups {
  if (settings === undefined || own === undefined) {
    const none = { folder: null, newestAt: null, verifiedAt: null, failure: null, archiveFailedSince: null, isTooOld: false };
    const kind = own === undefined ? 'external' : 'off';
    return { state: () => ({ kind, ...none }), runNow: () => Promise.resolve(), stop: () => Promise.resolve() };
  }
  const schedule = new Schedule(ctx, { settings, own, dataDir });
  const job: PeriodicJob = startPeriodicJob(
    // The state of the archive changes as often as WAL is archived.
    Math.min(settings.walS * 1000, LOOK_EVERY_MS),
    () => schedule.look(),
    (error) => ctx.log.warn('The state of the backups could not be read', { error }),
  );
  return { state: () => schedule.state, runNow: () => job.runNow(), stop: () => job.stop() };
}
