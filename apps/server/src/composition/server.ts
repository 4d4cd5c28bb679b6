import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import { NODE_ROLES, type NodeRole } from '@hes/contract/states/node.ts';
import type { FastifyInstance } from 'fastify';
import { anchorChains } from '#db/anchor-chains.ts';
import { ChainAnchors } from '#db/chain-anchors.ts';
import { sealExistingRights } from '#db/initial-sealing.ts';
import { handleKeys } from '#db/handle-keys.ts';
import { beginWithNewKey, openMasterKey } from '#db/master-keys.ts';
import { recoverAdministrator } from '#db/administrator-recovery.ts';
import { seed, type Seeded } from '#db/seed/seed.ts';
import { listMigrations, schemaOf, type Migration } from '#db/migration.ts';
import { loadSettings } from '#db/settings.ts';
import { reachOf } from '#features/deliveries/port.ts';
import { renewLimits } from '#features/relay/port.ts';
import { strengthenRecoveryCodes } from '#features/people/port.ts';
import { healthRoutes, type Health } from '#features/health/routes.ts';
import type { Field } from '#field/start-field.ts';
import { JobQueue } from '#jobs/job-queue.ts';
import type { Node } from '#nodes/node.ts';
import { ChangeLog } from '#nodes/change-log.ts';
import { isLoopback } from '#platform/address.ts';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { isReachedByOthers, type Config } from '#platform/config.ts';
import type { Context } from '#db/context.ts';
import { findMasterKey, keepMasterKey, lockDataFolder, openDataFolder, previousMasterKey } from '#platform/data-folder.ts';
import type { Log } from '#platform/log.ts';
import { chainKeyOf, createSecrets } from '#platform/secrets.ts';
import { startAnalysisPart } from './analysis-part.ts';
import { startAnchoring } from './anchoring.ts';
import { startBareNode } from './bare-node.ts';
import { startBackups } from './backups.ts';
import { isDatabaseAnswering } from './database-answers.ts';
import { openDatabase } from './database.ts';
import { hasPast, startDemo, wantsDemo } from './demo.ts';
import { startPast } from './demonstration-past.ts';
import { storedDemonstration } from './demonstration.ts';
import { openConsole, openProbes } from './doors.ts';
import { everyJob } from './every-job.ts';
import { missingOfField, openField, startQueue } from './field-part.ts';
import { headSinks } from './head-sinks.ts';
import { joinNodes } from './join-nodes.ts';
import { startKeyRotation } from './key-rotation.ts';
import { startLaterMigrations } from './later-migrations.ts';
import { startForwarding } from './log-forwarder.ts';
import { watchRights } from './rights-watch.ts';
import { leave } from './leave.ts';
import { OpenRequests } from './open-requests.ts';
import type { Simulator } from './simulator.ts';
import { claimPort, explainPort } from './ports.ts';
import { unwind, type Stops } from './stops.ts';
import { watchRoles } from './watch-roles.ts';
import { tlsFor } from './tls.ts';
import { tracedBy, watchedBy } from './watched-by.ts';

const PACKAGE = new URL('../../package.json', import.meta.url);

const MASTER_KEY_OCTETS = 32;

/** Interval in which a node on a shared database looks for jobs that other nodes ordered. */
const POLL_OF_OTHERS_S = 2;

/** Prints progress of the start to the terminal. */
export type Say = (line: string) => void;

export interface RunningServer {
  /** Address of the console. */
  url: string;
  /** 0: it has not the role `field`. */
  dlmsPort: number;
  /** Undefined: no metrics are served. */
  metricsPort: number | undefined;
  first: Seeded;
  /** Whether the database answers. One that cannot be reached from here counts as answering: a restart would not mend it. */
  answers(): Promise<boolean>;
  /** `drains`: hands the work over to other head-ends first. */
  stop(how?: { drains: boolean }): Promise<void>;
}

/** Reasons of this process for taking no work, by what has started of it. */
function missingOf({ roles }: Config, { node, field }: Member): ReadinessPart[] {
  if (field !== undefined) return missingOfField(field);
  if (roles.includes('field')) return ['listener'];
  return node?.isDraining === true ? ['draining'] : [];
}

/** This head-end among the others, filled when it has joined them: after the routes that ask it. */
interface Member {
  node?: Node;
  field?: Field;
}

async function listen(fastify: FastifyInstance, config: Config): Promise<number> {
  try {
    await fastify.listen({ port: config.port, host: config.host });
  } catch (error) {
    throw explainPort(error, { port: config.port, host: config.host, variable: 'HES_PORT' });
  }
  const address = fastify.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.port;
}

async function start(
  config: Config,
  log: Log,
  say: Say,
  { stops, migrations }: { stops: Stops; migrations: readonly Migration[] },
): Promise<Omit<RunningServer, 'stop'> & { leaveFirst(): Promise<void> }> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }; // as: the package file of the server
  openDataFolder(config.dataDir);
  stops.push(lockDataFolder(config.dataDir));
  stops.push(await tracedBy(config, version));
  await claimPort({ port: config.port, host: config.host, variable: 'HES_PORT' });
  const has = (role: NodeRole) => config.roles.includes(role);
  const dlmsPort = has('field')
    ? await claimPort({ port: config.dlmsPort, host: config.dlmsHost, variable: 'HES_DLMS_PORT' })
    : config.dlmsPort;
  const former = previousMasterKey(config.dataDir, config.previousMasterKey);
  const heldKey = findMasterKey(config.dataDir, config.masterKey);
  const masterKey = heldKey ?? randomBytes(MASTER_KEY_OCTETS);
  const secrets = createSecrets(masterKey, former);
  const tls = tlsFor(config, systemClock);
  const isSecure = tls !== undefined || config.secureCookies;
  if (!isSecure && !isLoopback(config.host))
    log.warn('Passwords cross the network in the clear: set HES_TLS_CERT, HES_TLS or HES_SECURE_COOKIES');

  say(config.databaseUrl === undefined ? 'Starting the built-in database' : 'Connecting to the database');
  const keys = handleKeys(chainKeyOf(secrets), config.dataDir, secrets.previous && chainKeyOf(secrets.previous));
  const database = await openDatabase(config, { log, clock: systemClock, keys, migrations });
  stops.push(() => database.stop());
  if (heldKey === undefined) await beginWithNewKey({ db: database.db, secrets }, () => keepMasterKey(config.dataDir, masterKey));
  const bus = createBus();
  const changes = new ChangeLog({ ...database.background, log }, bus);
  await changes.open();
  await openMasterKey({ db: database.db, secrets, clock: systemClock, renewals: [renewLimits] });
  const anchors = new ChainAnchors(config.dataDir, secrets);
  // Precedes every write, because rows from here on have keyed hashes.
  await anchorChains({ db: database.db, clock: systemClock, anchors });
  await sealExistingRights(database.db, systemClock.now());
  const first = await seed(database.db, { adminName: config.adminName, adminPassword: config.adminPassword });
  const rescued = await recoverAdministrator(database.db, config.dataDir, systemClock.now());
  if (rescued !== undefined)
    say(`Administrator again: ${rescued.username} / ${rescued.password} (shown this once; to be changed at the first sign-in)`);
  const isWhole = config.roles.length === NODE_ROLES.length;
  const isDemo = isWhole && (await wantsDemo(database, config));
  const isExposed = isReachedByOthers(config) && !isDemo;
  const hasDebugPages = config.debugPages === 'auto' ? !isExposed : config.debugPages === 'on';
  const settings = await loadSettings(database.db, { passwordMin: config.passwordMin, isExposed, hasDebugPages, isStrict: config.strict });
  const jobs = new JobQueue(
    { pool: database.pool, log: log.child({ part: 'jobs' }) },
    config.databaseUrl === undefined ? {} : { pollSeconds: POLL_OF_OTHERS_S },
  );
  const ctx: Context = { db: database.db, pool: database.pool, clock: systemClock, log, settings, bus, jobs, secrets };
  await strengthenRecoveryCodes(ctx);
  const unattended: Context = { ...ctx, ...database.background, direct: database.direct };
  jobs.serve(has('analysis') ? everyJob(ctx, unattended) : everyJob(ctx, unattended).map((kind) => ({ ...kind, workers: 0 })));
  stops.push(() => jobs.stop());
  const sinks = headSinks(config, log);
  const anchoring = startAnchoring(unattended, anchors, sinks);
  const endForwarding = startForwarding(unattended, config);
  const rights = watchRights(unattended);
  const rotation = startKeyRotation(unattended);
  stops.push(async () => {
    await Promise.all([anchoring.stop(), rights.stop(), rotation.stop(), endForwarding?.()]);
    for (const sink of sinks) sink.close();
  });

  const backups = startBackups(unattended, config, database.own);
  stops.push(() => backups.stop());

  let isReady = false;
  let simulator: Simulator | undefined;
  const demonstration = storedDemonstration(ctx, async () => {
    await simulator?.stop();
    simulator = undefined;
  });
  if (config.demo === 'remove') await demonstration.removeAtStart();
  // Before the database closes: a removal is one transaction.
  stops.push(() => demonstration.removed());
  const member: Member = {};
  const health: Health = {
    isReady: () => isReady,
    missingParts: () => missingOf(config, member),
    unfilledRoles: () => member.node?.unfilledRoles ?? [],
    migrations,
    backups: () => backups.state(),
  };
  const door = { isSecure, tls, connectionLimits: { perAddress: config.httpConnectionsPerAddress, requestMs: config.httpRequestS * 1000 } };
  const fastify = has('web')
    ? await openConsole(ctx, config, stops, {
        ...door,
        version,
        health,
        anchors,
        dlmsPort,
        livingNodes: () => member.node?.countOf('web') ?? 1,
        simulator: () => simulator?.door(),
        demonstration,
        backups: () => backups.state(),
      })
    : openProbes(ctx, stops, { ...door, routes: healthRoutes(health) });
  const requests = has('web') ? new OpenRequests(fastify.server) : undefined;
  const port = await listen(fastify, config);

  if (isDemo) {
    say('Starting the demonstration utility');
    const host = config.dlmsHost === '0.0.0.0' || config.dlmsHost === '::' ? '127.0.0.1' : config.dlmsHost;
    const keysFile = path.join(config.dataDir, 'simulator-keys.json');
    simulator = await startDemo(ctx, settings, { host, port: dlmsPort, keysFile, language: config.demoLanguage }).catch(
      (error: unknown) => {
        log.error('The demonstration fleet does not start', { error });
        say('The demonstration fleet does not start: see the log above. The head-end runs without it.');
        return undefined;
      },
    );
    stops.push(async () => simulator?.stop());
  }

  const named = { name: config.nodeName, version, roles: config.roles, schema: schemaOf(migrations) };
  if (has('field')) {
    say(`Listening for DCUs on ${config.dlmsHost}:${dlmsPort}`);
    const hasSimulator = simulator !== undefined;
    member.field = await openField(unattended, config, stops, { node: named, dlmsPort, ownPorts: [port, dlmsPort], hasSimulator });
    const { udpPort } = member.field;
    if (udpPort !== undefined) say(`Listening for pushes in datagrams on ${config.dlmsHost}:${udpPort}`);
  }
  const { field } = member;
  const simulated = simulator?.door();
  if (field && simulated && (await hasPast(ctx.db)))
    stops.push(startPast({ ctx: unattended, writer: field.writer, events: field.events }, simulated, config.demoLanguage));
  const node = (member.node = field?.node ?? (await startBareNode(unattended, stops, named)));
  stops.push(await joinNodes(unattended, { bus, changes, node, servers: config.bus }));
  stops.push(watchRoles(node, log));
  stops.push(startLaterMigrations(database, migrations, log));
  const queue = field && (await startQueue(unattended, config, stops, field));
  if (has('analysis')) await startAnalysisPart(unattended, stops, { jobs, node, deliveries: reachOf(config) });
  const metrics = await watchedBy(unattended, config, {
    version,
    backups: () => backups.state(),
    field,
    dispatcher: queue?.dispatcher,
    isReady: () => missingOf(config, member).length === 0,
    pools: { console: database.pool, background: unattended.pool },
  });
  stops.push(() => metrics?.stop());
  isReady = true;
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/hes/`,
    dlmsPort: field?.port ?? 0,
    metricsPort: metrics?.port,
    first,
    answers: () => isDatabaseAnswering(database.pool, config.databaseUrl === undefined),
    leaveFirst: () => leave({ node, drain: queue?.drain, requests, log, noticeMs: config.drainNoticeMs, limitMs: config.drainMs }),
  };
}

/** Starts every part in order. If one fails, stops the parts that already run. `migrations`: by default all of this program. */
export async function startServer(
  config: Config,
  log: Log,
  say: Say,
  migrations: readonly Migration[] = listMigrations(),
): Promise<RunningServer> {
  const stops: Stops = [];
  try {
    const { leaveFirst, ...running } = await start(config, log, say, { stops, migrations });
    const stop: RunningServer['stop'] = async (how) => {
      if (how?.drains === true)
        await leaveFirst().catch((error: unknown) => log.error('The work could not be handed over to other nodes', { error }));
      await unwind(stops, log);
    };
    return { ...running, stop };
  } catch (error) {
    await unwind(stops, log);
    throw error;
  }
}
