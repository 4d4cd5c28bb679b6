import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import { PASSWORD_MIN } from '@hes/contract/core/rules.ts';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { ChainAnchors } from '../src/db/chain-anchors.ts';
import { sealEverything, sealSessions } from '../src/db/right-seals.ts';
import { everyJob } from '../src/composition/every-job.ts';
import { JobQueue } from '../src/jobs/job-queue.ts';
import { loadSettings } from '../src/db/settings.ts';
import { createApp, type App } from '../src/http/app.ts';
import { implementedRoutes } from '../src/features/implemented-routes.ts';
import { createAccessTokens } from '../src/platform/access-token.ts';
import { createBus } from '../src/platform/bus.ts';
import { monotonicNow, msAfter, msFromNow } from '../src/platform/clock.ts';
import type { Context, InstallationRules } from '../src/db/context.ts';
import { createLog } from '../src/platform/log.ts';
import type { RateLimit } from '../src/platform/rate-limiter.ts';
import { Nonces } from '../src/db/nonces.ts';
import { createSecrets } from '../src/platform/secrets.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

export interface TestUser {
  id: string;
  sessionId: string;
  token: string;
}

export interface TestApp extends App {
  ctx: Context;
  database: TestDatabase;
  /** Of the role that owns the tables: for what the server itself may not do. */
  owner: Pool;
  anchors: ChainAnchors;
  /** Moves the server's clock. */
  advance(ms: number): void;
  /** Signs a user in without the cost of a password. `scope` and `transformers`: every right, limited to these levels and transformers. */
  addUser(options?: {
    roles?: string[];
    scope?: string[];
    transformers?: string[];
    mustChangePassword?: boolean;
    /** False: the session has given no own proof. */
    isProved?: boolean;
    /** False: the rights were given just now. */
    isRested?: boolean;
  }): Promise<TestUser>;
  call(user: TestUser | undefined, request: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const LIVE_TICKET_MINUTES = 0.25;
/** Most tests are not about own proof: their sessions have given it. */
const LONG_AGO = new Date('2000-01-01');
const PROVED_FOR_GOOD = new Date('2100-01-01');
const NO_LIMIT: RateLimit = { burst: 1e6, perSecond: 1e6 };

/** Makes every right in the database older than the day that it rests. */
export async function ageRights({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.updateTable('userRole').set({ grantedAt: LONG_AGO, grantedBy: null }).execute();
  await db.updateTable('roleAction').set({ grantedAt: LONG_AGO, grantedBy: null }).execute();
  await db.updateTable('role').set({ areaWidenedAt: LONG_AGO, areaWidenedBy: null }).execute();
  await sealAll({ db });
}

/** Seals what a test wrote by SQL, as the product seals what it writes. */
export const sealAll = async ({ db }: Pick<Context, 'db'>): Promise<void> =>
  void (await db.transaction().execute((tx) => sealEverything(tx)));

/** The whole HTTP side over a separate database; responses are checked against the contract. */
export async function testApp(
  options: {
    consoleRoot?: string;
    callLimit?: RateLimit;
    isSecure?: boolean;
    /** Proxies whose forwarded addresses are believed. */
    trustedProxies?: readonly string[];
    tls?: { cert: string; key: string };
    /** One person takes ten devices out of reach an hour, as in the product. */
    hasSilenceLimit?: boolean;
    /** Rules of the installation that differ from the default. */
    rules?: Partial<InstallationRules>;
    /** False: jobs are ordered here and done by others. */
    hasWorkers?: boolean;
    /** The server's clock is moved by `advance` alone. */
    isClockStill?: boolean;
    /** Percentage of dialogues of successful collection whose frames are kept. */
    traceSharePercent?: number;
    /** Parts of the process that take no work. */
    missingParts?: () => ReadinessPart[];
    /** Internal networks that senders may reach. */
    deliveryNetworks?: readonly string[];
    /** Folder below which senders may write. */
    deliveryFolder?: string;
    /** The database of another app, as a second head-end uses it. That app is closed later. */
    database?: TestDatabase;
  } = {},
): Promise<TestApp> {
  const rules = { passwordMin: PASSWORD_MIN, isExposed: false, hasDebugPages: true, ...options.rules };
  const database = options.database ?? (await cloneDatabase());
  let shiftMs = 0;
  const beganAt = Date.now();
  const began = monotonicNow();
  const clock = {
    now: () => (options.isClockStill ? beganAt : Date.now()) + shiftMs,
    monotonic: () => (options.isClockStill ? msAfter(began, shiftMs) : msFromNow(shiftMs)),
  };
  const log = createLog('error');
  const jobs = new JobQueue({ pool: database.pool, log });
  const ctx: Context = {
    db: database.db,
    pool: database.pool,
    clock,
    log,
    settings: await loadSettings(database.db, rules),
    bus: createBus(),
    jobs,
    secrets: createSecrets(TEST_MASTER_KEY),
  };
  jobs.serve(everyJob(ctx, ctx).map((kind) => (options.hasWorkers === false ? { ...kind, workers: 0 } : kind)));
  const anchors = new ChainAnchors(undefined, ctx.secrets);
  const liveTickets = new Nonces(ctx, { purpose: 'live socket', minutes: LIVE_TICKET_MINUTES });
  const modules = implementedRoutes(ctx, {
    version: '0.0.0',
    isReady: () => true,
    ...(options.missingParts === undefined ? {} : { missingParts: options.missingParts }),
    hasSecureCookies: options.isSecure ?? false,
    warnings: [],
    ...(options.traceSharePercent === undefined ? {} : { traceSharePercent: options.traceSharePercent }),
    deliveries: { networks: options.deliveryNetworks ?? [], folder: options.deliveryFolder },
    liveTickets,
    anchors,
    ...(options.hasSilenceLimit ? {} : { silenceLimit: NO_LIMIT }),
  });
  const app = await createApp(ctx, {
    modules,
    consoleRoot: options.consoleRoot ?? join(tmpdir(), 'no-such-console'),
    version: '0.0.0',
    checksAnswers: true,
    callLimit: options.callLimit ?? NO_LIMIT,
    isSecure: options.isSecure ?? false,
    trustedProxies: options.trustedProxies ?? [],
    tls: options.tls,
    liveTickets,
  });
  const tokens = createAccessTokens(ctx.secrets, clock);

  return {
    ...app,
    ctx,
    database,
    owner: database.owner,
    anchors,
    advance: (ms) => void (shiftMs += ms),
    async addUser({ roles = [], scope = [], transformers = [], mustChangePassword = false, isProved = true, isRested = true } = {}) {
      const name = `u${randomUUID().slice(0, 12)}`;
      const { id } = await ctx.db
        .insertInto('appUser')
        .values({ username: name, name, passwordHash: 'none', mustChangePassword })
        .returning('id')
        .executeTakeFirstOrThrow();
      const own = [...roles];
      if (scope.length + transformers.length > 0) {
        const code = `SCOPE_${name}`;
        own.push(code);
        await ctx.db.insertInto('role').values({ code, name: code }).execute();
        await sql`insert into role_module select (select id from role where code = ${code}), module_id from role_module rm join role r on r.id = rm.role_id where r.code = 'ADMIN'`.execute(
          ctx.db,
        );
        await sql`insert into role_action select (select id from role where code = ${code}), module_id, action from role_action ra join role r on r.id = ra.role_id where r.code = 'ADMIN'`.execute(
          ctx.db,
        );
        await sql`insert into role_scope (role_id, level_id) select id, unnest(${scope}::bigint[]) from role where code = ${code}`.execute(
          ctx.db,
        );
        await sql`insert into role_scope (role_id, transformer_id) select id, unnest(${transformers}::bigint[]) from role where code = ${code}`.execute(
          ctx.db,
        );
      }
      await sql`insert into user_role select ${id}, id from role where code = any(${own}::text[])`.execute(ctx.db);
      if (isRested) await ageRights(ctx);
      else await sealAll(ctx);
      const sessionId = randomUUID();
      await ctx.db
        .insertInto('userSession')
        .values({
          id: sessionId,
          userId: id,
          refreshHash: Buffer.alloc(32),
          expiresAt: new Date(clock.now() + HOUR_MS),
          provedAt: isProved ? PROVED_FOR_GOOD : null,
        })
        .execute();
      await sealSessions(ctx.db);
      return { id, sessionId, token: await tokens.issue(sessionId) };
    },
    call: (user, request) =>
      app.fastify.inject({
        ...request,
        headers: { ...request.headers, ...(user === undefined ? {} : { authorization: `Bearer ${user.token}` }) },
      }),
    async close() {
      app.live.close();
      await app.fastify.close();
      await jobs.stop();
      if (options.database === undefined) await database.drop();
    },
  };
}
