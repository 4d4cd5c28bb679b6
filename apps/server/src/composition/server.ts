import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import { anchorChains } from '#db/anchor-chains.ts';
import { ChainAnchors } from '#db/chain-anchors.ts';
import { sealExistingRights } from '#db/initial-sealing.ts';
import { handleKeys } from '#db/handle-keys.ts';
import { openMasterKey, refuseNewKey } from '#db/master-keys.ts';
import { Nonces } from '#db/nonces.ts';
import { recoverAdministrator } from '#db/administrator-recovery.ts';
import { seed, type Seeded } from '#db/seed/seed.ts';
import { loadSettings } from '#db/settings.ts';
import { fieldFeatures, periodicJobs } from '#features/every-feature.ts';
import { renewLimits } from '#features/relay/port.ts';
import { startField, type Field } from '#field/start-field.ts';
import { createApp, type App } from '#http/app.ts';
import { startDeliveries } from '#features/deliveries/port.ts';
import { startAnalysis } from '#features/balance/port.ts';
import { strengthenRecoveryCodes } from '#features/people/port.ts';
import { implementedRoutes } from '#features/implemented-routes.ts';
import { startSupervisor } from '#features/upgrade/port.ts';
import { JobQueue } from '#jobs/job-queue.ts';
import { ChangeLog } from '#nodes/change-log.ts';
import { isLoopback } from '#platform/address.ts';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { isReachedByOthers, type Config } from '#platform/config.ts';
import type { Context } from '#db/context.ts';
import { findMasterKey, keepMasterKey, lockDataFolder, openDataFolder, previousMasterKey } from '#platform/data-folder.ts';
import type { Log } from '#platform/log.ts';
import { chainKeyOf, createSecrets } from '#platform/secrets.ts';
import { SwitchLedger } from '#platform/switch-ledger.ts';
import { startTasks } from '#tasks/start-tasks.ts';
import { startAnchoring } from './anchoring.ts';
import { openDatabase } from './database.ts';
import { startDemo, wantsDemo } from './demo.ts';
import { storedDemonstration } from './demonstration.ts';
import { Drain } from './drain.ts';
import { startEvenOut } from './even-out.ts';
import { everyJob } from './every-job.ts';
import { headSinks } from './head-sinks.ts';
import { joinNodes } from './join-nodes.ts';
import { startKeyRotation } from './key-rotation.ts';
import { startRetention } from './retention.ts';
import { startForwarding } from './log-forwarder.ts';
import { watchRights } from './rights-watch.ts';
import type { Simulator } from './simulator.ts';
import { claimPort, explainPort } from './ports.ts';
import { tlsFor } from './tls.ts';
import { watchedBy } from './watched-by.ts';

const CONSOLE_ROOT = fileURLToPath(new URL('../../../web/dist', import.meta.url));
const PACKAGE = new URL('../../package.json', import.meta.url);

const MASTER_KEY_OCTETS = 32;

/** Lifetime of a ticket for the live socket. */
const LIVE_TICKET_MINUTES = 0.25;

/** Prints progress of the start to the terminal. */
export type Say = (line: string) => void;

export interface RunningServer {
  /** Address of the console. */
  url: string;
  dlmsPort: number;
  /** Undefined: no metrics are served. */
  metricsPort: number | undefined;
  first: Seeded;
  /** `drains`: hands the work over to other head-ends first. */
  stop(how?: { drains: boolean }): Promise<void>;
}

type Stop = () => Promise<void> | void;

/** Stops the started parts in reverse order. A failure does not prevent the others from stopping. */
async function unwind(stops: Stop[], log: Log): Promise<void> {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      log.error('A part did not stop cleanly', { error });
    }
  }
}

const tlsOfDoor = ({ dlmsTls }: Config) => (dlmsTls === undefined ? 'none' : dlmsTls.mode === 'required' ? 'required' : 'optional');

/** Parts of the field engine that take no work. A port that is closed while the node drains is no reason of its own. */
function missingOf(field: Pick<Field, 'node' | 'isListening'> | undefined): ReadinessPart[] {
  if (field?.node.isDraining === true) return ['draining'];
  return field?.isListening === true ? [] : ['listener'];
}

async function listen(app: App, config: Config): Promise<number> {
  try {
    await app.fastify.listen({ port: config.port, host: config.host });
  } catch (error) {
    throw explainPort(error, { port: config.port, host: config.host, variable: 'HES_PORT' });
  }
  const address = app.fastify.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.port;
}

async function start(config: Config, log: Log, say: Say, stops: Stop[]): Promise<Omit<RunningServer, 'stop'> & { drain: Drain }> {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }; // as: the package file of the server
  openDataFolder(config.dataDir);
  stops.push(lockDataFolder(config.dataDir));
  await claimPort({ port: config.port, host: config.host, variable: 'HES_PORT' });
  const dlmsPort = await claimPort({ port: config.dlmsPort, host: config.dlmsHost, variable: 'HES_DLMS_PORT' });
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
  const database = await openDatabase(config, { log, clock: systemClock, keys });
  stops.push(() => database.stop());
  if (heldKey === undefined) {
    await refuseNewKey(database.db);
    keepMasterKey(config.dataDir, masterKey);
  }
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
  const isDemo = await wantsDemo(database, config);
  const isExposed = isReachedByOthers(config) && !isDemo;
  const hasDebugPages = config.debugPages === 'auto' ? !isExposed : config.debugPages === 'on';
  const settings = await loadSettings(database.db, { passwordMin: config.passwordMin, isExposed, hasDebugPages, isStrict: config.strict });
  const jobs = new JobQueue({ pool: database.pool, log: log.child({ part: 'jobs' }) });
  const ctx: Context = { db: database.db, pool: database.pool, clock: systemClock, log, settings, bus, jobs, secrets };
  await strengthenRecoveryCodes(ctx);
  const unattended: Context = { ...ctx, ...database.background };
  jobs.serve(everyJob(ctx, unattended));
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

  let isReady = false;
  const logo = { marker: config.logoMarker, address: config.logoAddress };
  let simulator: Simulator | undefined;
  const demonstration = storedDemonstration(ctx, async () => {
    await simulator?.stop();
    simulator = undefined;
  });
  // Before the database closes: a removal is one transaction.
  stops.push(() => demonstration.removed());
  const liveTickets = new Nonces(ctx, { purpose: 'live socket', minutes: LIVE_TICKET_MINUTES });
  /** Filled when the field engine has started, after the routes that ask it. */
  const engine: { field?: Field } = {};
  const livingNodes = () => engine.field?.node.alive.length ?? 1;
  const modules = implementedRoutes(ctx, {
    version,
    isReady: () => isReady,
    missingParts: () => missingOf(engine.field),
    hasSecureCookies: isSecure,
    warnings: [],
    logo,
    anchors,
    liveTickets,
    livingNodes,
    deliveryNetworks: config.deliveryNetworks,
    simulator: () => simulator?.door(),
    demonstration,
    door: () => ({ host: config.dlmsHost, port: dlmsPort, tls: tlsOfDoor(config) }),
  });
  const { trustedProxies } = config;
  const connectionLimits = { perAddress: config.httpConnectionsPerAddress, requestMs: config.httpRequestS * 1000 };
  const app = await createApp(ctx, {
    modules,
    consoleRoot: CONSOLE_ROOT,
    version,
    isSecure,
    tls,
    trustedProxies,
    liveTickets,
    livingNodes,
    connectionLimits,
  });
  stops.push(async () => {
    app.live.close();
    await app.fastify.close();
  });
  const port = await listen(app, config);

  if (isDemo) {
    say('Starting the demonstration utility');
    const host = config.dlmsHost === '0.0.0.0' || config.dlmsHost === '::' ? '127.0.0.1' : config.dlmsHost;
    const keysFile = path.join(config.dataDir, 'simulator-keys.json');
    simulator = await startDemo(ctx, settings, { host, port: dlmsPort, keysFile }).catch((error: unknown) => {
      log.error('The demonstration fleet does not start', { error });
      say('The demonstration fleet does not start: see the log above. The head-end runs without it.');
      return undefined;
    });
    stops.push(async () => simulator?.stop());
  }

  const switches = new SwitchLedger(config.dataDir, systemClock.now());
  say(`Listening for DCUs on ${config.dlmsHost}:${dlmsPort}`);
  const field = await startField(unattended, {
    features: fieldFeatures({ switches }),
    dlmsPort,
    node: { name: config.nodeName, version },
    udpPort: config.dlmsUdpPort,
    host: config.dlmsHost,
    timeoutLimits: config.responseTimeout,
    limits: { perAddress: config.dlmsConnectionsPerAddress },
    tls: config.dlmsTls,
    proxies: config.dlmsProxies,
    plainPasswords: config.plainPasswords ? 'everywhere' : 'this_machine',
    // The demonstration's DCUs listen on this machine.
    dialRules: { mayReachLocal: config.dialLocal || simulator !== undefined, ownPorts: [port, dlmsPort], networks: config.dialNetworks },
  }).catch((error: unknown) => {
    const isOfDatagrams = error instanceof Error && 'syscall' in error && error.syscall === 'bind' && config.dlmsUdpPort !== undefined;
    const wanted = isOfDatagrams
      ? { port: config.dlmsUdpPort ?? 0, variable: 'HES_DLMS_UDP_PORT' }
      : { port: dlmsPort, variable: 'HES_DLMS_PORT' };
    throw explainPort(error, { ...wanted, host: config.dlmsHost });
  });
  if (field.udpPort !== undefined) say(`Listening for pushes in datagrams on ${config.dlmsHost}:${field.udpPort}`);
  engine.field = field;
  stops.push(() => field.stop());
  stops.push(joinNodes(unattended, { bus, changes, node: field.node }));
  const retention = startRetention(unattended, field.node);
  stops.push(() => retention.stop());
  const tasks = await startTasks(unattended, field, periodicJobs);
  stops.push(() => tasks.stop());
  const drain = new Drain({ field, dispatcher: tasks.dispatcher, log, limitMs: config.drainMs });
  stops.push(() => drain.stop());
  if (config.isBalanced) {
    const balance = startEvenOut({ pool: database.pool, field, dispatcher: tasks.dispatcher, log });
    stops.push(() => balance.stop());
  }
  const upgrades = startSupervisor(unattended);
  stops.push(() => upgrades.stop());
  await jobs.start();
  const analysis = startAnalysis(unattended, field.node);
  stops.push(() => analysis.stop());
  const metrics = await watchedBy(unattended, config, {
    version,
    field,
    tasks,
    pools: { console: database.pool, background: unattended.pool },
  });
  stops.push(() => metrics?.stop());
  const deliveries = startDeliveries(unattended, field.node, config.deliveryNetworks);
  stops.push(() => deliveries.stop());
  isReady = true;
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/hes/`,
    dlmsPort: field.port,
    metricsPort: metrics?.port,
    first,
    drain,
  };
}

/** Starts every part in order. If one fails, stops the parts that already run. */
export async function startServer(config: Config, log: Log, say: Say): Promise<RunningServer> {
  const stops: Stop[] = [];
  try {
    const { drain, ...running } = await start(config, log, say, stops);
    const stop: RunningServer['stop'] = async (how) => {
      if (how?.drains === true)
        await drain.beforeStop().catch((error: unknown) => log.error('The work could not be handed over to other nodes', { error }));
      await unwind(stops, log);
    };
    return { ...running, stop };
  } catch (error) {
    await unwind(stops, log);
    throw error;
  }
}
